/** What a page carries of a card, and how far a card is filled. */
import type { Between } from './problem';

/** column, categories filled, open, used, box for all alike (-1: no matter), makes it hold points, throws from, to */
export type Entry = [number, number, number, number, number, number, number, number];

/** The boxes of a card, its dice, and the ways to enter them. */
export interface Facts {
  names: string[];
  dice: number;
  faces: number;
  throws: number;
  boxes: number;
  full: number;
  flags: number;
  again: number;
  holds: number;
  bonuses: number[];
  upper: number;
  before: number[];
  carried: number;
  note: string;
  entries: Entry[];
  pairs: [number, number][];
  width: number;
  weights: number[];
}

/** A card between turns: the boxes used, the points so far, and whether the box of all dice alike holds points. */
export interface Scorecard extends Between {
  used: number;
  score: number;
  upper: number;
  flag: number;
}

/** Which boxes of a card are used, and the upper total. */
export function filledBoxes(b: Between): { isUsed(n: number): boolean; upperTotal: number } {
  const { used, upper } = b as Scorecard;
  return { isUsed: (n) => ((used >> n) & 1) === 1, upperTotal: upper };
}

/** How many boxes a set of them holds. */
export function popcount(mask: number): number {
  let count = 0;
  for (let rest = mask; rest; rest &= rest - 1) count++;
  return count;
}
