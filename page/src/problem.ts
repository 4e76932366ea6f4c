/** Positions between turns, and the transitions from a turn's ending, for every family of games. */

import type { BustCost } from './choices';
import { type Part, type Phrase, phraseText, type RefusalKey } from './refusals';

/** A position between turns: the mover, or what every seat gets if the game is over. Each family adds fields. */
export interface Between {
  seat: number;
  ended: number[] | null;
}

/** Players who share the best total and have one more turn each. */
export interface Tie {
  seats: number[];
  total: number;
}

/** How a turn ended: the kind of ending, and the points. */
export interface Ending {
  kind: string;
  points: number;
  n: number;
}

/** The kind of an ending that no player may choose. */
export const NEVER = 'never';

/** Where a turn begins: before a roll or at a choice. */
export interface Root {
  at: 'throw' | 'choose';
  n: number;
}

/** Why no player can hold a score: the key of a refusal, and the limit that it names after the player and the score. */
export interface WrongScore {
  key: RefusalKey;
  limit: number;
}

/** The rules between turns. A method with a body here suits most families; the others override it. */
export abstract class Problem {
  abstract start(): Between;
  mover(b: Between): number {
    return b.seat;
  }
  /** What every seat gets if the game is over; otherwise null. */
  result(b: Between): number[] | null {
    return b.ended;
  }
  /** The values for every seat at the start of a turn, if a table holds them. */
  storedValues(b: Between): number[] | null;
  storedValues(): number[] | null {
    return null;
  }
  abstract root(b: Between): Root;
  abstract after(b: Between, ending: Ending): Between;
  /** Whether a bank of these points counts; and whether the mover may hold them as turn points. */
  bankCounts(b: Between, points: number): boolean;
  bankCounts(): boolean {
    return true;
  }
  mayHold(b: Between, points: number): boolean;
  mayHold(): boolean {
    return true;
  }
  /** The fewest points that the mover can bank; 0 if any points do. */
  neededToBank(b: Between): number;
  neededToBank(): number {
    return 0;
  }
  /** The endings of the turn's kernel: the special ones, and the ending of a stop with these units. */
  endings(b: Between): { specials: Ending[]; bank(units: number): Ending; cap(largestUnits: number): number };
  endings(): { specials: Ending[]; bank(units: number): Ending; cap(largestUnits: number): number } {
    throw new Error('this game asks no kernel of single turns');
  }
  /** The turn points before a roll, in units of the kernel. */
  units(b: Between, points: number, offset: number): number;
  units(): number {
    return 0;
  }
  /** The rolls of the graph that the mover can make, the first and the one after the last; null if all of them. */
  rolls(b: Between): [number, number] | null;
  rolls(): [number, number] | null {
    return null;
  }
  /** The faces of the mover's dice; null if every seat has the same. */
  facesOf(b: Between): string[] | null;
  facesOf(): string[] | null {
    return null;
  }
  /** What a bust costs. */
  bustCost(b: Between): BustCost;
  bustCost(): BustCost {
    return [0, 0, 0];
  }
  /** The fields of a position, in order; and the position with these fields. */
  abstract formatFields(b: Between): [string, string][];
  abstract parseFields(fields: Map<string, string>): Between;
  abstract scores(b: Between): number[];
  /** The position after a whole turn, described in words. */
  abstract applyTurn(b: Between, words: string): Between;
  /** The line of a game file for such a turn. */
  turnLine(words: string): string {
    return `turn ${words.trim().toLowerCase()}`;
  }
  /** The usual results of whole turns, for buttons: each with its words and its label. */
  abstract usualTurns(b: Between): [string, string][];
  /** Whether the usual results are all results of a turn. */
  readonly listsAllTurns: boolean = false;
  /** How many of the graph's faces are faces of dice; all of them if it is undefined. */
  readonly faces?: number;
  /** Dice with this total, for users who enter only the total; null if no dice have it. */
  diceOfTotal?(total: number, dice: number): string[] | null;
  /** The tie for the best total with which a playoff begins between two positions; null if there is none. */
  findTie?(before: Between, after: Between): Tie | null;
  /** The two turns of a mixed action: the zero value that decides each, and its probability. */
  mixedAction?(b: Between): { zeroValue: number; share: number }[] | null;
  /** The scores that a player can hold between turns. */
  readonly possibleScores?: number[];
  /** The step of points: all points are multiples of it. */
  readonly step?: number;
}

/** Invisible characters: blanks except the space, and marks of control, direction or zero width (solver/text.py). */
const UNSEEN =
  /(?! )[\p{C}\p{Z}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\u{e0100}-\u{e01ef}]/gu;

function escapeMark(mark: string): string {
  const code = mark.codePointAt(0)!;
  const [sign, digits] = code < 0x100 ? ['x', 2] : code < 0x10000 ? ['u', 4] : ['U', 8];
  return `\\${sign}${code.toString(16).padStart(digits as number, '0')}`;
}

/** Return the first invisible character of a text, escaped; an empty text if there is none. */
export function findUnseen(text: string): string {
  const [first] = text.match(UNSEEN) ?? [];
  return first ? escapeMark(first) : '';
}

/** Return a text with every invisible character escaped. */
export function visible(text: string): string {
  return text.replace(UNSEEN, escapeMark);
}

/** A refusal: one line that says what is wrong and what would be right. Its message is English. */
export class Refused extends Error implements Phrase {
  readonly parts: readonly Part[];
  constructor(
    readonly key: RefusalKey,
    ...parts: Part[]
  ) {
    super(visible(phraseText({ key, parts }, 'en')));
    this.parts = parts;
  }
}
