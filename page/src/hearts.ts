/** Hearts Due between turns: scores, which a roll can wipe. */
import type { Arrays, PageData } from './data';
import { type Between, type Ending, Problem, Refused, type Root } from './problem';
import { formatGain } from './numbers';
import { parseWhole } from './play';
import { fromMover, bySeat, parseSeat, parseScores } from './seats';
import { phrase } from './refusals';

interface Facts {
  root: [Root['at'], number];
  scores: number[];
  target: number;
  turns: number;
  points: number[];
}

interface Line extends Between {
  scores: number[];
  left: number;
}

export class HeartsProblem extends Problem {
  private readonly facts: Facts;
  private readonly players: number;
  private readonly win: Float64Array;
  readonly possibleScores: number[];

  constructor(
    private readonly data: PageData,
    arrays: Arrays,
  ) {
    super();
    this.facts = data.match as unknown as Facts;
    this.players = data.players;
    this.win = arrays.doubles('win');
    this.possibleScores = this.facts.scores;
  }

  start(): Line {
    return { scores: Array<number>(this.players).fill(0), seat: 0, left: this.facts.turns, ended: null };
  }

  storedValues(b: Between): number[] | null {
    const line = b as Line;
    if (this.data.objective === 'points') return [this.win[0]];
    let place = line.left ? line.left - 1 : 0;
    for (const score of fromMover(line.seat, line.scores))
      place = place * this.facts.scores.length + this.facts.scores.indexOf(score);
    return bySeat(line.seat, [...this.win.subarray(place * this.players, (place + 1) * this.players)]);
  }

  root(): Root {
    return { at: this.facts.root[0], n: this.facts.root[1] };
  }

  after(b: Between, { kind, points }: Ending): Line {
    const line = b as Line;
    const score = kind === 'wipe' ? 0 : line.scores[line.seat] + points;
    const scores = line.scores.map((other, n) => (n === line.seat ? score : other));
    const { target, turns } = this.facts;
    if (this.data.objective === 'points') return { ...line, scores, ended: [kind === 'wipe' ? 0 : points] };
    if (score >= target) return { ...line, scores, ended: scores.map((_, n) => Number(n === line.seat)) };
    if (turns && line.left === 1) return { ...line, scores, ended: [0] };
    return { scores, seat: (line.seat + 1) % this.players, left: Math.max(0, line.left - 1), ended: null };
  }

  formatFields(b: Between): [string, string][] {
    const line = b as Line;
    const [score, ...others] = fromMover(line.seat, line.scores);
    const fields: [string, string][] = this.data.objective === 'points' ? [] : [['score', String(score)]];
    if (this.players > 1) fields.push(['opponents', others.join(',')]);
    if (line.seat) fields.push(['seat', String(line.seat)]);
    if (line.left !== this.facts.turns) fields.push(['turns_left', String(line.left)]);
    return fields;
  }

  parseFields(fields: Map<string, string>): Line {
    const { seat } = parseSeat(fields, this.players);
    const scores = parseScores(fields, seat, this.players);
    for (const score of scores)
      if (!this.facts.scores.includes(score))
        throw new Refused('heartsScore', phrase('score'), score, this.facts.scores.slice(0, 5));
    const { turns } = this.facts;
    const left = parseWhole(fields.get('turns_left') ?? String(turns), 'turns_left');
    if (turns ? left < 1 || left > turns : left) throw new Refused('between', 'turns_left', left, 1, turns);
    return { scores, seat, left, ended: null };
  }

  scores(b: Between): number[] {
    return this.data.objective === 'points' ? [] : (b as Line).scores;
  }

  applyTurn(b: Between, words: string): Line {
    if (words.trim().toLowerCase() === 'wipe') return this.after(b, { kind: 'wipe', points: 0, n: 0 });
    const points = parseWhole(words.trim(), 'points');
    if (!this.facts.points.includes(points)) throw new Refused('noThrow', points, this.facts.points);
    return this.after(b, { kind: 'score', points, n: 0 });
  }

  usualTurns(): [string, string][] {
    return [...this.facts.points.map((n): [string, string] => [String(n), formatGain(n)]), ['wipe', 'wipe']];
  }
}
