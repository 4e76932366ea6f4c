/** Hands that a player chooses from the catalogue: the page builds their turns, and solves the race or one turn. */
import type { Arrays, PageData } from './data';
import { type Engine, engine } from './engine';
import { buildHands, type DiceSets, type Kind, type SeatDice } from './hands';
import type { House, Option, Values } from './house';
import { shareMaxima } from './maxima';
import { capsOf, raceScores, roundingBound } from './monotone';
import { largest } from './numbers';
import { Refused } from './problem';
import { fingerprint, spacedJson } from './question';
import { raceRounding, solveRace } from './race';

/** Dice of a hand: their name and their number. */
export type HandDice = [name: string, count: number][];

/** What a player chooses. */
export interface HandChoice {
  /** The hand of each seat. */
  hands: HandDice[];
  target: number;
  /** What the advice is for: the win, or the points of a turn that count towards the target. */
  objective: 'win' | 'points';
  /** The rules for banks; those of the page if missing. */
  stops?: Partial<StopRules>;
}

/** The fewest points of a player's first bank and of every bank, and whether both apply to the turn that wins, too. */
export interface StopRules {
  opening: number;
  minimum: number;
  minimum_on_win: boolean;
}

/** The rules for banks in the order in which they are shown. */
export const STOPS = ['opening', 'minimum', 'minimum_on_win'] as const;

/** What a page holds for the choice. */
export interface Chooser {
  /** The number of dice of a hand. */
  size: number;
  /** The catalogue: the name of each die, and how many sides show each face; a seventh number is the wild face. */
  dice: [name: string, weights: number[]][];
  /** The hands of the page itself. */
  hands: HandDice[];
  sets: DiceSets;
  question: { rules: Record<string, unknown> } & Record<string, unknown>;
  race: StopRules;
  /** The keys of the rules for banks. */
  keys: Record<keyof StopRules, string>;
  max_target: number;
  settled: number;
  certain: number;
}

const FACES = 6;
// Empirical, of one thread with vector instructions: a hand of n sets of dice, in a race of s scores, adds
// SECONDS_TO_BUILD n + SECONDS_BY_SCORES n ** SETS_POWER s ** 3.
const SECONDS_AT_FIRST = 0.15;
const SECONDS_TO_BUILD = 0.006;
const SECONDS_BY_SCORES = 6.8e-8;
const SETS_POWER = 1.3; // larger sets of dice have more choices

/** A hand in normal form: dice that are alike have the first of their names, and names are in order. */
type NormalHand = { name: string; count: number; weights: number[] }[];

/** Return the choice that the page itself was made for. */
export function pageChoice(data: PageData): HandChoice {
  const { seats } = data.match as unknown as { seats?: { target: number }[] };
  const { target } = seats?.[0] ?? (data.match as unknown as { target: number });
  return { hands: data.chooser!.hands, target, objective: 'win', stops: data.chooser!.race };
}

export function handText(hand: HandDice): string {
  return hand.map(([name, count]) => (count > 1 ? `${name}*${count}` : name)).join(', ');
}

/** Read a hand from text; unknown names are refused later. */
export function parseHand(text: string): HandDice {
  return text.split(',').map((part) => {
    const [name, count = '1'] = part.trim().split('*');
    return [name, Number(count)];
  });
}

/** Estimate the seconds that a computer takes to solve a race with these hands. */
export function estimateSeconds(data: PageData, { hands, target }: HandChoice): number {
  const scores = target / grainOf(data);
  const diceSets = hands.map((hand) => hand.reduce((product, [, count]) => product * (count + 1), 1));
  return diceSets.reduce(
    (sum, count) => sum + SECONDS_TO_BUILD * count + SECONDS_BY_SCORES * count ** SETS_POWER * scores ** 3,
    SECONDS_AT_FIRST,
  );
}

function grainOf(data: PageData): number {
  const { seats } = data.match as unknown as { seats?: { grain: number }[] };
  return (seats?.[0] ?? (data.match as unknown as { grain: number })).grain;
}

function normalHand({ dice, size }: Chooser, hand: HandDice): NormalHand {
  const weightsOf = new Map(dice);
  const counts = new Map<string, number>();
  for (const [word, count] of hand) {
    const weights = weightsOf.get(word);
    if (!weights) throw new Refused('noDie', word.slice(0, 40));
    const [name] = dice.find(([, other]) => other.join() === weights.join())!;
    counts.set(name, (counts.get(name) ?? 0) + count);
  }
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (total !== size || [...counts.values()].some((count) => !Number.isInteger(count) || count < 1))
    throw new Refused('handSize', size, total);
  return [...counts.keys()]
    .sort()
    .map((name) => ({ name, count: counts.get(name)!, weights: weightsOf.get(name)! }));
}

/** Return a choice with its hands in normal form, and all rules for banks; refuse one that this page cannot solve. */
export function checkChoice(data: PageData, { hands, target, objective, stops }: HandChoice): HandChoice {
  const chooser = data.chooser!;
  const grain = grainOf(data);
  if (!Number.isInteger(target) || target < grain || target > chooser.max_target)
    throw new Refused('between', 'target', target, grain, chooser.max_target);
  if (target % grain) throw new Refused('steps', 'target', target, grain);
  const { opening, minimum, minimum_on_win } = { ...chooser.race, ...stops };
  const rules = { opening, minimum, minimum_on_win };
  for (const name of ['opening', 'minimum'] as const) {
    if (!Number.isInteger(rules[name]) || rules[name] < 0 || rules[name] > target)
      throw new Refused('between', name, rules[name], 0, target);
    if (rules[name] % grain) throw new Refused('steps', name, rules[name], grain);
  }
  if (typeof minimum_on_win !== 'boolean') throw new Refused('linkRule', String(minimum_on_win).slice(0, 60));
  if (hands.length !== data.chooser!.hands.length) throw new Refused('handSize', chooser.size, 0);
  const normal = hands.map((hand) =>
    normalHand(chooser, hand).map(({ name, count }): HandDice[number] => [name, count]),
  );
  return { hands: normal, target, objective: objective === 'points' ? 'points' : 'win', stops: rules };
}

/** Return whether two choices are the same, both with all rules for banks. */
export function isSameHandChoice(a: HandChoice, b: HandChoice): boolean {
  const key = ({ hands, target, objective, stops }: HandChoice) =>
    JSON.stringify([hands, target, objective, STOPS.map((name) => stops?.[name])]);
  return key(a) === key(b);
}

/** Return whether the page can combine a house rule with chosen hands: it has other sets of dice for its own hands only. */
export function isForAllHands({ what }: Option): boolean {
  return what === 'target' || STOPS.some((name) => name === what);
}

/**
 * Return a choice of hands under changed house rules; refuse a rule that the page has for its own hands only.
 *
 * Args:
 *   house: the house rules of the page.
 *   choice: the hands that the page was solved for.
 *   shown: the rules as they were shown to the player.
 *   values: the rules that the player asks for. A rule that is shown with the same value stays as it is.
 */
export function underRules(house: House, choice: HandChoice, shown: Values, values: Values): HandChoice {
  const changed = house.options.filter(({ key }) => key in values && values[key] !== shown[key]);
  const refused = changed.find((option) => !isForAllHands(option));
  if (refused) throw new Refused('handsRule', refused.key);
  const byName = Object.fromEntries(changed.map(({ key, what }) => [what, values[key]]));
  const { target = choice.target, ...stops } = byName as Partial<StopRules> & { target?: number };
  return { ...choice, target, stops: { ...choice.stops, ...stops } };
}

/** Refuse to choose hands while a house rule holds that the page has for its own hands only. */
export function refuseOtherRules(house: House, values: Values): void {
  const refused = house.options.find((option) => !isForAllHands(option) && values[option.key] !== option.own);
  if (refused) throw new Refused('handsRule', refused.key);
}

/** Return the page's own hands under house rules. */
export function ownHandsUnder(data: PageData, values: Values): HandChoice {
  const own = pageChoice(data);
  const options = data.house!.options.filter(isForAllHands);
  return underRules({ ...data.house!, options }, own, {}, values);
}

/** The dice of a seat as the page describes them. */
function seatDice(hand: NormalHand, faces: number): SeatDice {
  const pad = (weights: number[]) => [...weights, ...Array<number>(faces - weights.length).fill(0)];
  const [first, ...others] = hand;
  const hasAllFaces = first.weights.length === FACES && first.weights.every((weight) => weight > 0);
  const isLike = !others.length && hasAllFaces;
  const kinds = hand.map(({ name, count, weights }): Kind => {
    return [others.length ? name : '', isLike ? 'plain' : name, count, pad(weights)];
  });
  return { kinds, is_unlike: !isLike };
}

/** The names of the faces that the dice of a seat can show. */
function symbolsOf({ kinds, is_unlike }: SeatDice, faces: string[]): string[] {
  return kinds.flatMap(([faceName, , , weights]) =>
    faces
      .filter((_, face) => weights[face] || (!is_unlike && face < FACES))
      .map((face) => (faceName ? `${face}-${faceName}` : face)),
  );
}

/** The rules of the game with these hands, as the engine's fingerprints have them. */
function rulesOf(
  chooser: Chooser,
  hands: NormalHand[],
  changed: Record<string, number | boolean>,
): Record<string, unknown> {
  const [fairName] = chooser.dice.find(([, weights]) => weights.join() === Array(FACES).fill(1).join())!;
  const [mine, ...others] = hands;
  const isFair = mine.length === 1 && mine[0].name === fairName;
  const seat = Object.fromEntries(
    others
      .map((hand, n): [string, unknown] => [String(n + 2), { hand }])
      .filter((_, n) => JSON.stringify(others[n]) !== JSON.stringify(mine)),
  );
  return {
    ...chooser.question.rules,
    ...changed,
    ...(isFair ? { dice: chooser.size } : { hand: mine }),
    ...(Object.keys(seat).length ? { seat } : {}),
  };
}

/** Build the engine for a choice of hands; the race is solved in a worker. */
export async function chosenHands(
  data: PageData,
  arrays: Arrays,
  { hands, target, objective, stops }: HandChoice,
  progress: (done: number) => void,
  signal: AbortSignal,
): Promise<Engine> {
  const chooser = data.chooser!;
  const stopRules: StopRules = { ...chooser.race, ...stops };
  const isRace = objective === 'win';
  const seatHands = hands.slice(0, isRace ? hands.length : 1).map((hand) => normalHand(chooser, hand));
  const hasWild = seatHands.flat().some(({ weights }) => weights.length > FACES);
  const faces = chooser.sets.faces.slice(0, hasWild ? FACES + 1 : FACES);
  const seats = seatHands.map((hand) => seatDice(hand, faces.length));
  const symbols = seats.map((seat) => symbolsOf(seat, faces));
  const own = data.match as unknown as { seats?: Record<string, unknown>[]; grain: number; passes: boolean };
  const common = (own.seats?.[0] ?? own) as { grain: number; passes: boolean };
  const size = { grain: common.grain, target };
  const built = buildHands(
    {
      ...data,
      turn: undefined,
      turns: undefined,
      house: null,
      dice: {
        ...chooser.sets,
        faces,
        sets: chooser.sets.sets.filter(([shown]) => shown.every((face) => face < faces.length)),
        seats,
      },
      graph: { ...data.graph, faces: [...new Set(symbols.flat())] },
      match: (isRace ? { seats: seats.map(() => size) } : size) as unknown as PageData['match'],
    },
    arrays,
  );
  const { opening, minimum, minimum_on_win: always } = stopRules;
  const scored = built.turns.map((turn) => raceScores(turn, { ...size, opening, minimum, always }));
  const changed = new Map<string, Float64Array | Int32Array>();
  let firstRoll = 0;
  const facts = scored.map((scores, seat) => {
    const rolls = [firstRoll, firstRoll + built.hands[seat].rolled.length];
    firstRoll = rolls[1];
    changed.set(isRace ? `caps${seat + 1}` : 'caps', capsOf(scores));
    const fresh = rolls[1] - 1; // a turn begins with the roll of all dice, which is the last
    return { ...common, ...scores.facts, head_start: 0, rolls, faces: symbols[seat], fresh };
  });
  let bound: number;
  if (isRace) {
    const isUnlike = seats.some(({ is_unlike }) => is_unlike);
    const sides = built.turns.map((turn, seat) => {
      const diceLeft = built.hands[seat].rolled.map(({ counts }) => counts);
      const maxima = isUnlike ? shareMaxima(turn, diceLeft) : null;
      return { turn, ...scored[seat], passes: common.passes, maxima };
    });
    const { settled, certain } = chooser;
    const race = { seats: sides, rounding: raceRounding(sides), settled, certain };
    const solved = await solveRace(race, arrays, progress, signal);
    solved.wins.forEach((win, seat) => changed.set(`win${seat + 1}`, win));
    bound = solved.bound;
  } else {
    bound = target * roundingBound(built.turns[0], largest(scored[0].caps));
  }
  const changedRules: Record<string, number | boolean> = {
    target,
    ...Object.fromEntries(STOPS.map((name) => [chooser.keys[name], stopRules[name]])),
  };
  const rules = rulesOf(chooser, seatHands, changedRules);
  const players = seatHands.length;
  const parameters: Record<string, number> = isRace ? {} : { goal: target };
  const print = await fingerprint({ ...chooser.question, objective, players, parameters, rules });
  const dieNames = [...new Set(seats.flatMap(({ kinds }) => kinds.map(([, name]) => name)))];
  const wordsOf: Record<string, string[]> = { dice: dieNames, roll: built.data.graph.faces };
  const isOfOthers = (name: string) => name === 'opponents' || name === 'seat';
  const page: PageData = {
    ...built.data,
    players,
    parameters,
    objective,
    family: isRace ? 'unlike' : 'push',
    rules: data.rules.map(([key, value, usual, reason]) => [key, changedRules[key] ?? value, usual, reason]),
    how: [],
    head: [data.head[0], `rules: ${spacedJson(rules)}`],
    name: `${data.game}:${objective}${isRace ? players : ''}:${print.slice(0, 8)}`,
    fingerprint: print,
    error_bound: bound,
    rounding: 0,
    sheet: null,
    fields: data.fields
      .filter(([name]) => isRace || !isOfOthers(name))
      .map(([name, kind, help, isInTurn, words]) => [name, kind, help, isInTurn, wordsOf[name] ?? words]),
    seats: hands.slice(0, players).map(handText),
    match: (isRace
      ? { seats: facts }
      : { ...facts[0], finish: 'one_turn', goal: target }) as unknown as PageData['match'],
  };
  const solved = { ...built, data: page, arrays: built.arrays.but(changed) };
  return engine(page, solved.arrays, solved);
}
