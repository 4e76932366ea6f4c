/** What follows from a turn's end: positions between turns, as every family of games tells them. */

import type { BustCost } from './choices';
import { type Part, type Phrase, phraseText, type RefusalKey } from './refusals';

/** A position between turns: who is to move, or what every seat gets once it is over; what more it holds is its family's business. */
export interface Between {
  seat: number;
  ended: number[] | null;
}

/** How a turn ended: by which kind of ending, with how many points. */
export interface Ending {
  kind: string;
  points: number;
  n: number;
}

/** The kind of an ending that nobody may choose. */
export const NEVER = 'never';

/** Where a turn begins: before a throw or at a choice. */
export interface Root {
  at: 'throw' | 'choose';
  n: number;
}

/** Why nobody can hold a score: the key of a refusal, and the limit that it names after the player and the score. */
export interface WrongScore {
  key: RefusalKey;
  limit: number;
}

/** What follows from a turn's end. What has a body here is what most families say; those that differ say so. */
export abstract class Problem {
  abstract start(): Between;
  mover(b: Between): number {
    return b.seat;
  }
  /** What every seat gets, once it is over. */
  over(b: Between): number[] | null {
    return b.ended;
  }
  /** What every seat gets where a turn begins, if a table holds it. */
  known(b: Between): number[] | null;
  known(): number[] | null {
    return null;
  }
  abstract root(b: Between): Root;
  abstract after(b: Between, ending: Ending): Between;
  /** Whether a bank of so many points counts, and whether so many may be held. */
  counts(b: Between, points: number): boolean;
  counts(): boolean {
    return true;
  }
  fits(b: Between, points: number): boolean;
  fits(): boolean {
    return true;
  }
  /** The endings of the turn's kernel: its special ones, and what stopping with so many units is. */
  endings(b: Between): { specials: Ending[]; bank(units: number): Ending; cap(largestUnits: number): number };
  endings(): { specials: Ending[]; bank(units: number): Ending; cap(largestUnits: number): number } {
    throw new Error('this game asks no kernel of single turns');
  }
  /** Units that the kernel counts, of points in hand before a throw. */
  units(points: number, offset: number): number;
  units(): number {
    return 0;
  }
  /** What a bust costs. */
  bustCost(b: Between): BustCost;
  bustCost(): BustCost {
    return [0, 0];
  }
  /** What a position is told by, in order, and the position that is told. */
  abstract tell(b: Between): [string, string][];
  abstract read(fields: Map<string, string>): Between;
  abstract scores(b: Between): number[];
  /** The position after a whole turn that brought what is told. */
  abstract brings(b: Between, words: string): Between;
  /** How that is written down. */
  abstract brought(words: string): string;
  /** What whole turns usually bring, for buttons: what is told and what it is called. */
  abstract usual(b: Between): [string, string][];
  /** How many of the graph's faces are faces of dice; all of them if it is not said. */
  readonly faces?: number;
  /** Dice with a total that is told instead of them; null where it cannot be. */
  diceOfTotal?(total: number, dice: number): string[] | null;
  /** How turns are drawn where two are mixed: worth of a zero turn to decide by, and how often. */
  mixes?(b: Between): { told: number; share: number }[] | null;
  /** What a player can hold between turns, and why a number cannot be. */
  readonly scoresThere?: number[];
  /** What points come in steps of. */
  readonly step?: number;
  wrongScore?(score: number): WrongScore | null;
  withScores?(b: Between, scores: number[], seat: number): Between;
}

/** What nobody sees: blanks but the ordinary one, and signs of control, of direction, without width (solver/text.py). */
const UNSEEN =
  /(?! )[\p{C}\p{Z}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\u{e0100}-\u{e01ef}]/gu;

function escapeMark(mark: string): string {
  const code = mark.codePointAt(0)!;
  const [sign, digits] = code < 0x100 ? ['x', 2] : code < 0x10000 ? ['u', 4] : ['U', 8];
  return `\\${sign}${code.toString(16).padStart(digits as number, '0')}`;
}

/** The first sign of a text that nobody sees, escaped; nothing where there is none. */
export function findUnseen(text: string): string {
  const [first] = text.match(UNSEEN) ?? [];
  return first ? escapeMark(first) : '';
}

/** Return a text with every sign that nobody sees escaped. */
export function visible(text: string): string {
  return text.replace(UNSEEN, escapeMark);
}

/** What cannot be: one line that says what is wrong and what would be right; its message is English. */
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
