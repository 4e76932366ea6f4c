/** Push your luck between turns: scores, busts in a row, turns left; and where the endings of a turn lead. */
import type { BustCost } from './choices';
import type { Arrays, PageData } from './data';
import { type Between, type Ending, Problem, NEVER, Refused, type Root, type WrongScore } from './problem';
import { formatGain, largest } from './numbers';
import { hasBit, parseWhole } from './play';
import { phrase, type RefusalKey } from './refusals';

/** Consecutive scores that nobody can hold between turns: the first, the last, and the reason with its limit. */
export type ImpossibleScores = [first: number, last: number, key: RefusalKey, limit: number];

interface Facts {
  grain: number;
  sign: number;
  bank: number;
  scores: number[];
  least: number[];
  at_last: number[];
  floor: number;
  target: number;
  finish: 'at_least' | 'exact' | 'last_round' | 'one_turn';
  lowest: boolean;
  turns: number;
  busted: [number, number][][];
  losses: BustCost[];
  costs: number[];
  choose: boolean;
  passes: boolean;
  held: number;
  wrong: ImpossibleScores[];
  fresh: number;
  banks: string;
}

interface Line extends Between {
  scores: number[];
  left: number;
  busts: number[];
}

export class PushProblem extends Problem {
  private readonly facts: Facts;
  private readonly players: number;
  private readonly place: Map<number, number>;
  private readonly win: Float64Array | null;
  private readonly caps: Int32Array;
  private readonly last: Float64Array | null;
  private readonly deficitCount: number;
  private readonly bustCounts: number;
  /** Mixed actions by place: the probability of the second turn, and the zero value that decides each turn. */
  private readonly mixed = new Map<number, [number, number, number]>();
  readonly possibleScores: number[];
  readonly step: number;

  constructor(
    private readonly data: PageData,
    arrays: Arrays,
  ) {
    super();
    this.facts = data.match as unknown as Facts;
    this.players = data.players;
    this.place = new Map(this.facts.scores.map((score, n) => [score, n]));
    this.win = arrays.has('win') ? arrays.doubles('win') : null;
    this.caps = arrays.ints('caps');
    this.last = arrays.has('last') ? arrays.doubles('last') : null;
    this.deficitCount = this.last ? arrays.shape('last')[1] : 0;
    this.bustCounts = Math.max(1, this.facts.costs.length);
    const mixed = arrays.has('mixed') ? arrays.doubles('mixed') : [];
    for (let n = 0; n < mixed.length; n += 4)
      this.mixed.set(mixed[n], [mixed[n + 1], mixed[n + 2], mixed[n + 3]]);
    this.possibleScores = this.facts.scores;
    this.step = this.facts.grain;
  }

  start(): Line {
    return this.line(Array(this.players).fill(0), 0, this.facts.turns, Array(this.players).fill(0));
  }

  private line(scores: number[], seat: number, left: number, busts: number[]): Line {
    return { scores, seat, left, busts, ended: null };
  }

  /** The number of a player's state in the tables. */
  private state(line: Line, seat: number): number {
    return this.place.get(line.scores[seat])! * this.bustCounts + (line.busts[seat] || 0);
  }

  private get states(): number {
    return this.facts.scores.length * this.bustCounts;
  }

  /** The place of a line of states, from the mover on, in the tables. */
  private at(line: Line, seats = this.players): number {
    let place = this.facts.turns ? line.left - 1 : 0;
    for (let k = 0; k < seats; k++)
      place = place * this.states + this.state(line, (line.seat + k) % this.players);
    return place;
  }

  storedValues(b: Between): number[] | null {
    const line = b as Line;
    if (this.facts.finish === 'one_turn') return null;
    if (this.isLast(line)) {
      const score = line.scores[line.seat];
      const deficit = (largest(line.scores) - score) / this.facts.grain;
      const chance = deficit < this.deficitCount ? this.last![(score ? this.deficitCount : 0) + deficit] : 0;
      return this.bySeat(line.seat, [chance, 1 - chance]);
    }
    const place = this.at(line);
    if (this.players === 1) return [this.win![place]];
    if (this.players === 2) return this.bySeat(line.seat, [this.win![place], 1 - this.win![place]]);
    const shares = [...this.win!.subarray(place * (this.players - 1), (place + 1) * (this.players - 1))];
    return this.bySeat(line.seat, [...shares, this.remainder(shares)]);
  }

  mixedAction(b: Between): { zeroValue: number; share: number }[] | null {
    const mix = this.mixed.size ? this.mixed.get(this.at(b as Line)) : undefined;
    if (!mix) return null;
    const [share, low, high] = mix;
    return [
      { zeroValue: low, share: 1 - share },
      { zeroValue: high, share },
    ];
  }

  private remainder(shares: number[]): number {
    return 1 - shares.reduce((a, b) => a + b, 0);
  }

  private bySeat(seat: number, from: number[]): number[] {
    return from.map((_, n) => from[(n - seat + from.length) % from.length]);
  }

  root(): Root {
    return this.facts.choose ? { at: 'choose', n: this.facts.fresh } : { at: 'throw', n: this.facts.fresh };
  }

  private isLast(line: Line): boolean {
    const { finish, target } = this.facts;
    return finish === 'last_round' && line.scores.some((score, n) => n !== line.seat && score >= target);
  }

  private least(line: Line): number {
    const place = this.place.get(line.scores[line.seat]) ?? 0;
    const index = this.facts.finish === 'one_turn' ? Math.min(place, this.facts.least.length - 1) : place;
    return (this.isLast(line) ? this.facts.at_last : this.facts.least)[index];
  }

  bankCounts(b: Between, points: number): boolean {
    return points >= this.least(b as Line);
  }

  mayHold(b: Between, points: number): boolean {
    const line = b as Line;
    return this.facts.finish !== 'exact' || line.scores[line.seat] + points <= this.facts.target;
  }

  bustCost(b: Between): BustCost {
    const line = b as Line;
    return this.facts.losses[line.busts[line.seat] || 0];
  }

  after(b: Between, ending: Ending): Line {
    const line = b as Line;
    const score = line.scores[line.seat];
    switch (ending.kind) {
      case 'bank':
        return this.end(line, score + ending.points, ending.points, 0);
      case 'stop':
        return this.end(line, score, 0, 0);
      case 'win':
        return { ...line, ended: line.scores.map((_, n) => Number(n === line.seat)) };
      case 'wipe':
        return this.end(line, 0, 0, 0);
      default: {
        if (!this.facts.costs.length) return this.end(line, score, 0, 0);
        const count = line.busts[line.seat];
        const [to, next] = this.facts.busted[this.place.get(score)!][count];
        return this.end(line, to, -this.facts.costs[count], next);
      }
    }
  }

  private end(line: Line, score: number, banked: number, count: number): Line {
    const { finish, target, turns, lowest } = this.facts;
    const seat = line.seat;
    const scores = line.scores.map((other, n) => (n === seat ? score : other));
    const busts = line.busts.map((other, n) => (n === seat ? count : other));
    const next = (seat + 1) % this.players;
    if (finish === 'one_turn') return { ...line, busts, ended: [lowest ? -banked : banked] };
    const lastRound = finish === 'last_round' && this.players > 1;
    if (score >= target && !lastRound)
      return { ...line, scores, ended: scores.map((_, n) => Number(n === seat)) };
    if (turns && line.left === 1) return { ...line, scores, ended: [0] };
    if (lastRound && scores[next] >= target) {
      const top = largest(scores);
      const shared = scores.filter((other) => other === top).length;
      return { ...line, scores, seat: next, ended: scores.map((other) => (other === top ? 1 / shared : 0)) };
    }
    return this.line(scores, next, Math.max(0, line.left - 1), busts);
  }

  endings(b: Between): {
    specials: Ending[];
    bank(units: number): Ending;
    cap(largestUnits: number): number;
  } {
    const line = b as Line;
    const { grain, sign, bank, target } = this.facts;
    const kinds = ['bust', 'win', 'wipe'];
    return {
      specials: kinds.map((kind) => ({ kind, points: 0, n: 0 })),
      bank: (units) => {
        const points = sign * (units - bank) * grain;
        const counts = points >= 0 && this.bankCounts(b, points);
        if (counts && !this.mayHold(b, points)) return { kind: 'bust', points: 0, n: 0 };
        if (!counts && !this.facts.passes) return { kind: NEVER, points: 0, n: 0 };
        return { kind: counts ? 'bank' : 'stop', points: counts ? points : 0, n: 0 };
      },
      cap: (largestUnits) => {
        if (this.isLast(line))
          return Math.max(
            (largest(line.scores) - line.scores[line.seat]) / grain + 1,
            this.least(line) / grain,
            0,
          );
        const both = this.players === 2 && this.facts.finish === 'last_round';
        const place =
          this.facts.finish === 'one_turn' ? this.oneTurnPlace(line) : this.at(line, both ? this.players : 1);
        const isFar = both || this.facts.finish === 'one_turn' || target === 0;
        return this.caps[place] + (isFar ? largestUnits : 0);
      },
    };
  }

  /** The place for a single turn, where only the opening and the busts in a row matter. */
  private oneTurnPlace(line: Line): number {
    const place = Math.min(line.scores[line.seat] > 0 ? 1 : 0, this.facts.scores.length - 1);
    return place * this.bustCounts + (line.busts[line.seat] || 0);
  }

  units(points: number, offset: number): number {
    return (this.facts.sign * points) / this.facts.grain + offset;
  }

  formatFields(b: Between): [string, string][] {
    const line = b as Line;
    const around = line.scores.map((_, n) => (line.seat + n) % this.players);
    const fields: [string, string][] = [['score', String(line.scores[line.seat])]];
    if (this.players > 1)
      fields.push([
        'opponents',
        around
          .slice(1)
          .map((n) => line.scores[n])
          .join(','),
      ]);
    if (line.seat) fields.push(['seat', String(line.seat)]);
    if (line.left !== this.facts.turns) fields.push(['turns_left', String(line.left)]);
    if (this.facts.costs.length) {
      fields.push(['busts', String(line.busts[line.seat])]);
      if (this.players > 1)
        fields.push([
          'opponents_busts',
          around
            .slice(1)
            .map((n) => line.busts[n])
            .join(','),
        ]);
    }
    return fields;
  }

  parseFields(fields: Map<string, string>): Line {
    const seat = parseWhole(fields.get('seat') ?? '0', 'seat');
    const left = parseWhole(fields.get('turns_left') ?? String(this.facts.turns), 'turns_left');
    const list = (name: string, first: number) => {
      const others = fields.get(name)?.split(',') ?? Array(this.players - 1).fill('0');
      if (others.length !== this.players - 1)
        throw new Refused('wrongOpponents', name, this.players - 1, others.length);
      return this.bySeat(seat, [first, ...others.map((part) => parseWhole(part, name))]);
    };
    if (seat < 0 || seat >= this.players) throw new Refused('between', 'seat', seat, 0, this.players - 1);
    if (left < 0 || left > this.facts.turns || (this.facts.turns && !left))
      throw new Refused('wrongTurnsLeft', left, this.facts.turns);
    const scores = list('opponents', parseWhole(fields.get('score') ?? '0', 'score'));
    return this.withScores(
      this.line(scores, seat, left, list('opponents_busts', parseWhole(fields.get('busts') ?? '0', 'busts'))),
      scores,
      seat,
    );
  }

  withScores(b: Between, scores: number[], seat: number): Line {
    scores.forEach((score, n) => {
      const isPastTarget = n !== seat && this.facts.finish === 'last_round' && score >= this.facts.target;
      const fault =
        this.facts.finish === 'one_turn' || (isPastTarget && score % this.facts.grain === 0)
          ? null
          : this.wrongScore(score);
      if (fault)
        throw new Refused(fault.key, phrase(n === seat ? 'score' : 'theirScore'), score, fault.limit);
    });
    const line = { ...(b as Line), scores, seat };
    const most = this.bustCounts - 1;
    if (line.busts.some((count) => count < 0 || count > most)) throw new Refused('wrongBusts', most);
    return line;
  }

  /** Why nobody can hold this score between turns; null if somebody can. */
  wrongScore(score: number): WrongScore | null {
    if (this.place.has(score)) return null;
    if (score % this.facts.grain) return { key: 'steps', limit: this.facts.grain };
    const range = this.facts.wrong.find(([from, to]) => score >= from && score <= to);
    return range ? { key: range[2], limit: range[3] } : { key: 'cannotBe', limit: 0 };
  }

  scores(b: Between): number[] {
    return (b as Line).scores;
  }

  applyTurn(b: Between, text: string): Line {
    const word = text
      .trim()
      .toLowerCase()
      .replace(/^bank /, '');
    if (word === 'win' || word === 'wipe') {
      if (!this.data.graph.words.includes(word)) throw new Refused('noTurn', word);
      return this.after(b, { kind: word, points: 0, n: 0 });
    }
    if (word === 'bust') return this.after(b, { kind: 'bust', points: 0, n: 0 });
    const points = parseWhole(word, 'points');
    if (points < 0) throw new Refused('belowZero', 'points', points);
    if (!points) return this.after(b, { kind: this.facts.costs.length ? 'bust' : 'stop', points, n: 0 });
    if (points % this.facts.grain) throw new Refused('steps', 'points', points, this.facts.grain);
    if (!this.banks(points)) throw new Refused('noTurnPoints', points);
    if (!this.bankCounts(b, points)) throw new Refused('countsNot', points, this.least(b as Line));
    if (!this.mayHold(b, points)) throw new Refused('pointsPassTarget', points, this.facts.target);
    return this.after(b, { kind: 'bank', points, n: 0 });
  }

  /** Whether a turn can bank this number of points. Numbers beyond the bit set count as possible. */
  private banks(points: number): boolean {
    const unit = points / this.facts.grain;
    return unit >= 4 * this.facts.banks.length || hasBit(this.facts.banks, unit);
  }

  usualTurns(b: Between): [string, string][] {
    const words = this.data.graph.words;
    const least = Math.max(this.facts.grain, this.least(b as Line));
    const turns: [string, string][] = [['bust', 'bust']];
    for (let points = least; turns.length < 12; points += this.facts.grain) {
      if (points > 100 * this.facts.target + least + 1000) break;
      if (this.banks(points) && this.mayHold(b, points)) turns.push([String(points), formatGain(points)]);
      else if (!this.mayHold(b, points)) break;
    }
    for (const word of ['win', 'wipe']) if (words.includes(word)) turns.push([word, word]);
    return turns;
  }
}
