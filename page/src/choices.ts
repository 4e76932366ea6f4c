/** The kinds of choices and their data, under the names of the engine (solver/play/choice_kinds.py). */

export type ChoiceKind =
  | 'roll'
  | 'hit'
  | 'double'
  | 'take over'
  | 'keep'
  | 'shut'
  | 'touch'
  | 'take'
  | 'pass'
  | 'bank'
  | 'stop'
  | 'enter'
  | 'score'
  | 'bust'
  | 'wipe'
  | 'win'
  | 'other';

/** More about the dice that are set aside; the dice themselves are those that the choice keeps. */
interface SetAside {
  name?: string;
  is_counted?: boolean;
}

export interface BoxEntry {
  box: string;
  points: number;
  dice: string[];
}

/** What a choice does, beyond its kind. A field that is missing has its usual value: 0, "", nothing, or false. */
export type ChoiceData =
  | ({ type: 'TurnStop'; points: number } & SetAside)
  | ({
      type: 'TurnRoll';
      dice: number;
      dice_kinds?: string[];
      is_fresh?: boolean;
      thrown_over?: string[];
    } & SetAside)
  | { type: 'TurnLoss'; cost?: number; number?: number; is_special?: boolean; spared?: number }
  | { type: 'FrameChoice'; dice?: number; points?: number; rolled_points?: number; is_dead_roll?: boolean }
  | { type: 'CardDice'; dice: number }
  /** A roll without a choice before it: of all dice, or of those that are not on the table. */
  | { type: 'CardThrow'; dice: number; is_all: boolean }
  | { type: 'BoxEntries'; entries: BoxEntry[] }
  | { type: 'DieSetAside'; die: number; dice: number }
  | { type: 'LastDie'; die: number; total: number }
  | { type: 'TrioCast'; set_aside: number[]; dice: number }
  | { type: 'CrewChoice'; points?: number; kept?: number; recast?: number }
  | { type: 'TileChoice'; dice?: number; tiles?: string[]; is_last?: boolean; points?: number }
  | { type: 'HeartsScore'; points?: number }
  | { type: 'PieceChoice'; size?: Size; points?: number }
  /** A piece is felt after the touch. */
  | { type: 'PieceFeel'; size: Size }
  /** A cast of five dice, or of those that are not set aside. */
  | { type: 'CrewRoll'; dice: number }
  /** A roll without other details: of the dice, or of all of this number. */
  | { type: 'DiceRoll'; dice?: number };

export type Size = 'large' | 'medium' | 'small';

/** A choice, or a roll that has to be made. */
export interface Act {
  kind: ChoiceKind;
  data: ChoiceData;
  keep: string[];
}

/** A choice as a page stores it: its kind, the type of its data, and the fields with unusual values. */
export type EncodedChoice = [ChoiceKind, ChoiceData['type'], [string, unknown][]];

const OPEN = '*'; // stands for points that are filled in

/**
 * What a bust takes from the score; its number in a row, 0 where that does not matter; and what the rules charge too,
 * but cannot take because no score goes below the floor.
 */
export type BustCost = [cost: number, number: number, spared: number];

/** Return a choice with its turn points filled in. */
export function decodeChoice(
  [kind, type, fields]: EncodedChoice,
  keep: string[],
  points: number,
  [cost, number, spared]: BustCost,
): Act {
  const data = { type } as ChoiceData & Record<string, unknown>;
  for (const [name, value] of fields) data[name] = value === OPEN ? points : value;
  if (data.type === 'TurnStop' && kind === 'bank') data.points = points;
  if (data.type === 'TurnRoll') data.is_fresh = Boolean(data.is_fresh) && points !== 0;
  if (data.type === 'TurnLoss') Object.assign(data, { cost, number, spared });
  return { kind, data, keep };
}

/** Whether two choices of a position do the same. */
export function isSameChoice(first: Act, second: Act): boolean {
  const key = ({ kind, data, keep }: Act) => JSON.stringify([kind, data, keep]);
  return key(first) === key(second);
}
