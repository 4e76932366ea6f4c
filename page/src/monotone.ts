/** Turns in which points only grow until they end, and the scores of a race with such turns. Points are in units. */
import type { Arrays } from './data';
import { LANES } from './kernel';
import { largest } from './numbers';
import { Refused } from './problem';
import type { ImpossibleScores } from './push';

export const SPARE = 64; // units beyond the target that are followed
const ENDINGS = ['bust', 'win', 'wipe'] as const;
const FAR = 1e9;
const UNIT_ROUNDOFF = 2 ** -53;
const EXTRA_ROUNDINGS = 2;
const CONVERGED_SHARE = 1 / 128;
const SAFETY_FACTOR = 1.01;
const NEGLECTED_ERROR = 2 ** -59;

/** A set of at most 64 modes: the low 32 bits and the high ones. */
export type ModeSet = [low: number, high: number];

/** A turn laid out for the kernel of races, in the order of its own description (csrc/monotone_turn.h). */
export interface Climb {
  modes: number;
  start: number;
  forbid: number;
  max_add: number;
  over_passes: number;
  /** The modes that may bank. */
  banks: ModeSet;
  arrays: {
    class_start: Int32Array;
    weight: Float64Array;
    choice_start: Int32Array;
    leads: Int32Array;
    bust: Float64Array;
    win: Float64Array;
    wipe: Float64Array;
    total: Float64Array;
    edge_start: Int32Array;
    edge_add: Int32Array;
    /** Of each edge, a set of modes. */
    edge_modes: Int32Array;
  };
}

export function addMode(modes: ModeSet | Int32Array, mode: number, first = 0): void {
  modes[first + (mode >> 5)] |= 1 << (mode & 31);
}

function hasMode(modes: ModeSet | Int32Array, mode: number, first = 0): boolean {
  return ((modes[first + (mode >> 5)] >>> (mode & 31)) & 1) === 1;
}

/** Lay out a turn, whose arrays have names that begin with `name`, as turns/monotone_turn.py does. */
export function climb(numbers: Record<string, number>, arrays: Arrays, name: string): Climb {
  const { modes } = numbers;
  const [throws, classes, offers, next, add, bank] = [
    'throw_start',
    'class_start',
    'choice_start',
    'next',
    'add',
    'bank',
  ].map((array) => arrays.ints(`${name}.${array}`));
  const weight = arrays.doubles(`${name}.weight`);
  const ending = ENDINGS.map(() => new Float64Array(modes));
  const total = new Float64Array(modes).fill(1);
  const starts = { classes: [0], choices: [0], edges: [0] };
  const lists = { weight: [] as number[], leads: [] as number[], add: [] as number[], modes: [] as number[] };
  for (let m = 0; m < modes; m++) {
    const leads = new Map<number, ModeSet>();
    if (throws[m + 1] > throws[m]) {
      const rollChoices: number[] = [];
      total[m] = 0;
      for (let c = classes[throws[m]]; c < classes[throws[m] + 1]; c++) {
        total[m] += weight[c];
        if (next[offers[c]] >= modes) ending[next[offers[c]] - modes][m] += weight[c];
        else rollChoices.push(c);
      }
      rollChoices.sort((a, b) => offers[a + 1] - offers[a] - (offers[b + 1] - offers[b]));
      for (const c of rollChoices) {
        for (let n = offers[c]; n < offers[c + 1]; n++) {
          lists.leads.push((add[n] * modes + next[n]) * LANES);
          if (!leads.has(add[n])) leads.set(add[n], [0, 0]);
          addMode(leads.get(add[n])!, next[n]);
        }
        starts.choices.push(lists.leads.length);
        lists.weight.push(weight[c]);
      }
    }
    starts.classes.push(lists.weight.length);
    for (const [more, to] of [...leads].sort(([a], [b]) => a - b)) {
      lists.add.push(more);
      for (const part of to) lists.modes.push(part);
    }
    starts.edges.push(lists.add.length);
  }
  const banks: ModeSet = [0, 0];
  bank.forEach((one, m) => one < 0 || addMode(banks, m));
  return {
    modes,
    start: numbers.start,
    forbid: numbers.forbid,
    max_add: largest(lists.add),
    over_passes: numbers.over_passes,
    banks,
    arrays: {
      class_start: Int32Array.from(starts.classes),
      weight: Float64Array.from(lists.weight),
      choice_start: Int32Array.from(starts.choices),
      leads: Int32Array.from(lists.leads),
      bust: ending[0],
      win: ending[1],
      wipe: ending[2],
      total,
      edge_start: Int32Array.from(starts.edges),
      edge_add: Int32Array.from(lists.add),
      edge_modes: Int32Array.from(lists.modes),
    },
  };
}

/** By mode, 1 for the turn points, 0 to `most` units, that a turn can hold before a roll in it. */
export function reach({ modes, start, arrays }: Climb, most: number): Uint8Array[] {
  const { edge_start, edge_add, edge_modes } = arrays;
  const isPossible = Array.from({ length: modes }, () => new Uint8Array(most + 1));
  const leads = Array.from(edge_add, (_, e) =>
    isPossible.filter((__, mode) => hasMode(edge_modes, mode, 2 * e)),
  );
  isPossible[start][0] = 1;
  for (let t = 0; t <= most; t++)
    for (let m = 0; m < modes; m++)
      if (isPossible[m][t])
        for (let e = edge_start[m]; e < edge_start[m + 1] && t + edge_add[e] <= most; e++)
          for (const to of leads[e]) to[t + edge_add[e]] = 1;
  return isPossible;
}

/** Bits in hexadecimal digits, the lowest last. */
export function digits(bits: ArrayLike<number | boolean>): string {
  const blocks: string[] = [];
  for (let n = 0; n < bits.length; n += 4) {
    let block = 0;
    for (let k = 0; k < 4; k++) block += Number(bits[n + k] ?? 0) << k;
    blocks.unshift(block.toString(16));
  }
  return blocks.join('').replace(/^0+(?=.)/, '');
}

/** The rules of a race in points, and the size of a unit. */
export interface RaceRules {
  grain: number;
  target: number;
  opening: number;
  minimum: number;
  /** Whether opening and minimum apply to the bank that wins, too. */
  always: boolean;
}

/** The scores of a player in a race, and what the banks from each of them are. */
export interface Scores {
  /** Scores below the target that banks lead to, in units. */
  scores: number[];
  /** By score below the target, in units: the fewest points that count, and those at which the table of a turn ends. */
  counts: number[];
  caps: number[];
  /** By mode, the turn points that are possible before a roll. */
  isPossible: Uint8Array[];
  /** Facts of the page about these scores, in points. */
  facts: {
    grain: number;
    target: number;
    scores: number[];
    least: number[];
    at_last: number[];
    banks: string;
    wrong: ImpossibleScores[];
  };
}

/** By state of a player, the points at which the table of a turn ends. */
export function capsOf({ scores, caps }: Pick<Scores, 'scores' | 'caps'>): Int32Array {
  return Int32Array.from(scores, (score) => caps[score]);
}

/** The scores below the target that banks lead to: the first bank of at least `first` units, later ones of `later`. */
function listScores(banks: boolean[], first: number, later: number, target: number): number[] {
  const isReachable = Array.from(
    { length: target },
    (_, score) => !score || (score >= first && banks[score]),
  );
  for (let score = 1; score < target; score++)
    for (let bank = later; isReachable[score] && score + bank < target; bank++)
      if (banks[bank]) isReachable[score + bank] = true;
  return [...isReachable.keys()].filter((score) => isReachable[score]);
}

/** List the scores of a race whose turns are those of `turn`; refuse one that no player can win. */
export function raceScores(turn: Climb, rules: RaceRules): Scores {
  const { grain, target: goal, opening, minimum, always } = rules;
  const target = Math.ceil(goal / grain);
  const units = (least: number) => Math.max(1, Math.ceil(least / grain));
  const firstBank = Math.max(opening, minimum);
  const [first, later] = [units(firstBank), units(minimum)];
  const needed = always ? Math.max(first, later) : Math.min(Math.max(first, later), target);
  const most = Math.max(target, needed) + Math.max(SPARE, turn.max_add);
  const isPossible = reach(turn, most);
  const bankModes = [...isPossible.keys()].filter((m) => hasMode(turn.banks, m));
  const banks = Array.from(
    { length: most + 1 },
    (_, t) => t > 0 && bankModes.some((m) => isPossible[m][t] === 1),
  );
  if (!banks.some((isBank, t) => isBank && t >= needed)) throw new Refused('nobodyWins', needed * grain);
  const scores = listScores(banks, first, later, target);
  const counts = Array.from({ length: target }, (_, score) => {
    const least = score ? later : first;
    return always ? least : Math.min(least, target - score);
  });
  const least = scores.map((score) => {
    const points = Math.max(1, score ? minimum : firstBank);
    return always ? points : Math.min(points, Math.max(1, goal - score * grain));
  });
  const possibleScores = new Set(scores);
  const impossible = [...counts.keys()].filter((score) => !possibleScores.has(score));
  const wrong = impossible.map((score): ImpossibleScores => {
    const points = score * grain;
    if (points < firstBank) return [points, points, 'firstBank', firstBank];
    return [points, points, 'noBanks', Math.max(minimum, grain)];
  });
  return {
    scores,
    counts,
    caps: counts.map((count, score) => Math.max(target - score, count)),
    isPossible: isPossible.map((bits) => bits.subarray(0, target + SPARE)),
    facts: {
      grain,
      target: goal,
      scores: scores.map((score) => score * grain),
      least,
      at_last: least,
      banks: digits(banks.slice(0, target + SPARE)),
      wrong: [...wrong, [goal, FAR, 'notBelowTarget', goal]],
    },
  };
}

/** Bound the rounding error of one turn's value for payoffs from 0 to 1, as solver/solvers/rounding_bounds.py does. */
export function roundingBound(turn: Climb, cap: number): number {
  const { class_start, weight, choice_start, leads, bust, win, wipe, total } = turn.arrays;
  const modes = [...Array(turn.modes).keys()];
  const rolls = modes.map((m) => {
    const bySuccessors = new Map<string, [to: number[], probability: number]>();
    for (let c = class_start[m]; c < class_start[m + 1]; c++) {
      const cells = [...leads.subarray(choice_start[c], choice_start[c + 1])];
      const to = [...new Set(cells.map((cell) => (cell / LANES) % turn.modes))];
      const key = to.sort((a, b) => a - b).join();
      const known = bySuccessors.get(key) ?? [to, 0];
      bySuccessors.set(key, [to, known[1] + weight[c] / total[m]]);
    }
    const endings = [bust, win, wipe].filter((weights) => weights[m]).length;
    const classes = class_start[m + 1] - class_start[m] + endings;
    return {
      rounding: (classes + EXTRA_ROUNDINGS) * UNIT_ROUNDOFF,
      successors: [...bySuccessors.values()],
    };
  });
  const smallest = rolls.reduce((least, { rounding }) => Math.min(least, rounding), Infinity);
  let errors = modes.map(() => 0);
  for (let pass = 0; pass < cap + turn.over_passes; pass++) {
    const previous = errors;
    errors = rolls.map(({ rounding, successors }) =>
      successors.reduce(
        (sum, [to, probability]) => sum + probability * largest(to.map((m) => previous[m])),
        rounding,
      ),
    );
    if (largest(errors.map((error, m) => error - previous[m])) <= smallest * CONVERGED_SHARE) break;
  }
  return SAFETY_FACTOR * largest(errors) + NEGLECTED_ERROR;
}
