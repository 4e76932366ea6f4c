/** Maxima over the choices of roll classes, computed from each other, as solver/turns/shared_maxima.py finds them. */
import { LANES } from './kernel';
import type { Climb } from './monotone';
import { largest } from './numbers';

/** Where a roll class gets its maximum: from earlier classes, and from choices; all by number. */
interface Terms {
  classes: number[];
  choices: number[];
  /** One more than the levels of the classes among the terms. */
  level: number;
  weight: number;
}

/** The arrays of the maxima of all modes, in the order of the kernel's description (csrc/monotone_turn.h). */
export interface Maxima {
  shared_start: Int32Array;
  shared_offset: Int32Array;
  run_start: Int32Array;
  run: Int32Array;
  run_weight: Float64Array;
  term: Int32Array;
}

/**
 * Find the terms of the maxima of all modes of a turn.
 *
 * Args:
 *   turn: a turn whose modes may all bank, and whose choices may pass the target.
 *   diceLeft: by mode, how many dice of each kind are rolled in it; the last mode rolls all dice.
 *
 * Returns:
 *   The arrays; null if the maxima of some mode have no room in the kernel's tables.
 */
export function shareMaxima(turn: Climb, diceLeft: number[][]): Maxima | null {
  const { class_start, choice_start, leads, weight } = turn.arrays;
  const starts = { choices: [0], runs: [0] };
  const lists = { offset: [] as number[], run: [] as number[], weight: [] as number[], term: [] as number[] };
  for (let mode = 0; mode < turn.modes; mode++) {
    const numbers = new Map<number, number>(); // by lead, the number of the choice
    const classes: { choices: number[]; weight: number }[] = [];
    for (let c = class_start[mode]; c < class_start[mode + 1]; c++) {
      const choices = [...leads.subarray(choice_start[c], choice_start[c + 1])].map((lead) => {
        if (!numbers.has(lead)) numbers.set(lead, numbers.size);
        return numbers.get(lead)!;
      });
      classes.push({ choices: choices.sort((a, b) => a - b), weight: weight[c] });
    }
    const left = [...numbers.keys()].map((lead) => {
      const next = (lead / LANES) % turn.modes;
      // After all dice have been set aside, none are left.
      return next === turn.modes - 1 ? diceLeft[next].map(() => 0) : diceLeft[next];
    });
    const terms = findTerms(classes, left);
    const keptCount = addRuns(terms, numbers.size, lists);
    for (const lead of numbers.keys()) lists.offset.push(lead);
    starts.choices.push(lists.offset.length);
    starts.runs.push(lists.run.length / 5);
    if (numbers.size + keptCount + 1 > turn.modes * turn.max_add) return null;
  }
  return {
    shared_start: Int32Array.from(starts.choices),
    shared_offset: Int32Array.from(lists.offset),
    run_start: Int32Array.from(starts.runs),
    run: Int32Array.from(lists.run),
    run_weight: Float64Array.from(lists.weight),
    term: Int32Array.from(lists.term),
  };
}

/**
 * Find the terms of the maxima of the classes of a mode, which have ascending numbers of choices.
 *
 * Args:
 *   classes: the choices of each class, ascending, and its weight.
 *   left: by choice, how many dice of each kind it leaves.
 */
function findTerms(classes: { choices: number[]; weight: number }[], left: number[][]): Terms[] {
  const classNumbers = new Map<string, number>(); // by choices
  const terms: Terms[] = [];
  const kinds = [...(left[0] ?? []).keys()];
  for (const { choices, weight } of classes) {
    const subsets = kinds
      .map((kind) => {
        const fewest = choices.reduce((least, choice) => Math.min(least, left[choice][kind]), Infinity);
        return choices.filter((choice) => left[choice][kind] > fewest);
      })
      .filter((subset) => classNumbers.has(subset.join()));
    const uncovered = new Set(choices);
    const covered: number[] = [];
    while (subsets.length) {
      const counts = subsets.map((subset) => subset.filter((choice) => uncovered.has(choice)).length);
      const most = largest(counts);
      if (most < 2) break;
      const cover = subsets[counts.indexOf(most)];
      covered.push(classNumbers.get(cover.join())!);
      for (const choice of cover) uncovered.delete(choice);
    }
    const level = 1 + covered.reduce((most, number) => Math.max(most, terms[number].level), 0);
    classNumbers.set(choices.join(), terms.length);
    terms.push({ classes: covered, choices: [...uncovered], level, weight });
  }
  return terms;
}

/**
 * Add the runs of a mode to the lists; return how many of its maxima are terms of others.
 *
 * Classes whose maxima are terms come first, those of a level together. Then classes with equally many terms do. A run is
 * adjacent classes with equally many terms, all of whose maxima are kept, or none.
 */
function addRuns(
  terms: Terms[],
  choiceCount: number,
  lists: { run: number[]; weight: number[]; term: number[] },
): number {
  const kept = new Set(terms.flatMap(({ classes }) => classes));
  const count = (number: number) => terms[number].classes.length + terms[number].choices.length;
  const level = (number: number) => (kept.has(number) ? terms[number].level : Infinity);
  const order = [...terms.keys()].sort(
    (a, b) => (level(a) === level(b) ? 0 : level(a) - level(b)) || count(a) - count(b) || a - b,
  );
  const places: number[] = [];
  order.forEach((number, place) => (places[number] = choiceCount + place));
  let last = '';
  for (const number of order) {
    const { classes, choices, weight } = terms[number];
    const isKept = kept.has(number);
    const run = `${count(number)} ${isKept}`;
    if (run !== last)
      lists.run.push(0, count(number), isKept ? LANES : 0, lists.weight.length, lists.term.length);
    last = run;
    lists.run[lists.run.length - 5]++;
    lists.weight.push(weight);
    for (const term of [...classes.map((one) => places[one]), ...choices]) lists.term.push(LANES * term);
  }
  return kept.size;
}
