/** A scorecard between turns: its entries, and its fields as text. */
import { type Facts, type Scorecard, popcount } from './card_facts';
import type { PageData } from './data';
import { type Between, Problem, Refused, type Root } from './problem';
import { parseWhole } from './play';

export class CardProblem extends Problem {
  readonly facts: Facts;

  constructor(data: PageData) {
    super();
    this.facts = data.match as unknown as Facts;
  }

  start(): Scorecard {
    return { used: 0, score: 0, upper: 0, flag: 0, seat: 0, ended: null };
  }

  root(): Root {
    return { at: 'throw', n: 1 };
  }

  after(): Between {
    throw new Error('a card is filled by its own table');
  }

  /** Return the scorecard after these categories are filled. */
  fill(b: Between, fills: number, points: number, shift: number, sets: number): Scorecard {
    const card = b as Scorecard;
    const { full, again, flags, bonuses } = this.facts;
    const used = card.used | fills;
    const upper = Math.min(card.upper + shift, bonuses.length - 1);
    const flag = flags === 2 && fills & again ? sets : card.flag;
    const score = card.score + points;
    const ended = used === full ? [score + bonuses[upper]] : null;
    return { used, score, upper, flag, seat: 0, ended };
  }

  formatFields(b: Between): [string, string][] {
    const card = b as Scorecard;
    const { names, again, flags, holds, upper } = this.facts;
    const fields: [string, string][] = card.score ? [['score', String(card.score)]] : [];
    const used = names.flatMap((name, n) => {
      if (!((card.used >> n) & 1)) return [];
      const label = name.replace(/ /g, '_');
      return [flags === 2 && (again >> n) & 1 ? `${label}=${card.flag ? holds : 0}` : label];
    });
    if (used.length) fields.push(['used', used.join(',')]);
    if (upper) fields.push(['upper', String(card.upper)]);
    return fields;
  }

  parseFields(values: Map<string, string>): Scorecard {
    const { names, again, flags, before, boxes, full, bonuses, upper: uppers } = this.facts;
    let used = 0;
    const points = new Map<number, number>();
    for (const word of (values.get('used') ?? '').split(',').filter(Boolean)) {
      const [name, boxPoints] = word.split('=');
      const n = names.indexOf(name.replace(/_/g, ' ').trim().toLowerCase());
      if (n < 0) throw new Refused('noBox', name.slice(0, 40));
      if ((used >> n) & 1) throw new Refused('boxTwice', names[n]);
      used |= 1 << n;
      if (boxPoints) points.set(n, parseWhole(boxPoints, names[n]));
    }
    names.forEach((name, n) => {
      if ((used >> n) & 1 && before.length && before[n] >= 0 && !((used >> before[n]) & 1))
        throw new Refused('boxOrder', name, names[before[n]]);
    });
    if (popcount(used) % boxes) throw new Refused('boxCount', popcount(used), boxes);
    if (used === full) throw new Refused('cardOver');
    let flag = 0;
    if (flags === 2 && used & again) {
      const n = Math.round(Math.log2(again));
      if (!points.has(n)) throw new Refused('boxHolds', names[n], this.facts.holds);
      flag = Number(points.get(n)! > 0);
    }
    const upperBoxes = [...Array(names.length).keys()].filter((n) => ((used & uppers) >> n) & 1);
    let upper = 0;
    if (values.has('upper')) upper = parseWhole(values.get('upper')!, 'upper');
    else if (upperBoxes.every((n) => points.has(n)))
      upper = upperBoxes.reduce((sum, n) => sum + points.get(n)!, 0);
    else throw new Refused('upperMissing');
    upper = Math.min(upper, bonuses.length - 1);
    if (upper < 0 || (upper && !this.isPossibleUpper(used & uppers, upper)))
      throw new Refused('upperWrong', upper);
    const score = parseWhole(values.get('score') ?? '0', 'score');
    if (score < 0) throw new Refused('belowZero', 'score', score);
    return { used, score, upper, flag, seat: 0, ended: null };
  }

  private isPossibleUpper(used: number, upper: number): boolean {
    let totals = new Set([0]);
    const lastTotal = this.facts.bonuses.length - 1;
    for (let n = 0; n < this.facts.names.length; n++) {
      if (!((used >> n) & 1)) continue;
      const nextTotals = new Set<number>();
      for (const total of totals)
        for (const points of this.possiblePoints(n)) nextTotals.add(Math.min(total + points, lastTotal));
      totals = nextTotals;
    }
    return totals.has(upper);
  }

  /** The points that a category can hold. */
  private possiblePoints(n: number): Set<number> {
    const scores = this.partScores!;
    const partCount = scores.length / this.facts.names.length;
    return new Set(scores.subarray(n * partCount, (n + 1) * partCount));
  }

  partScores: Int32Array | null = null;

  scores(b: Between): number[] {
    return [(b as Scorecard).score];
  }

  applyTurn(b: Between, words: string): Between {
    const { names, boxes, again, flags, upper } = this.facts;
    const card = b as Scorecard;
    const parts = words.toLowerCase().replace(/_/g, ' ').split(',');
    if (parts.length !== boxes) throw new Refused('turnFills', boxes, names[0]);
    let [fills, points, shift, sets] = [0, 0, 0, 0];
    for (const part of parts) {
      const name = part.trim().split(/\s+/).slice(0, -1).join(' ');
      const boxPoints = parseWhole(part.trim().split(/\s+/).pop()!, 'points');
      const n = names.indexOf(name);
      if (n < 0) throw new Refused('noBox', name.slice(0, 40));
      if ((card.used | fills) & (1 << n)) throw new Refused('boxUsed', name);
      if (!this.possiblePoints(n).has(boxPoints)) throw new Refused('boxPoints', boxPoints, name);
      fills |= 1 << n;
      points += boxPoints;
      if ((upper >> n) & 1) shift += boxPoints;
      if (flags === 2 && (again >> n) & 1) sets = Number(boxPoints > 0);
    }
    return this.fill(b, fills, points, shift, sets);
  }

  usualTurns(): [string, string][] {
    return [];
  }
}
