/** Push your luck between turns: scores, busts in a row, turns left; and where the endings of a turn lead. */
import type { BustCost } from './choices';
import type { Arrays, PageData } from './data';
import { type Between, type Ending, Problem, NEVER, Refused, type Root, type WrongScore } from './problem';
import { formatGain, largest } from './numbers';
import { hasBit, parseWhole } from './play';
import { phrase, type RefusalKey } from './refusals';

/** Consecutive scores that no player can hold between turns: the first, the last, and the reason with its limit. */
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
  losses: [cost: number, number: number][];
  costs: number[];
  choose: boolean;
  passes: boolean;
  held: number;
  wrong: ImpossibleScores[];
  /** Of one turn: the score beyond which points do not count. */
  goal?: number;
  fresh: number;
  banks: string;
  /** Of players with different rules: the score at the start, the rolls of the graph, and the faces of the dice. */
  head_start?: number;
  rolls?: [number, number];
  faces?: string[];
}

/** What one seat plays by; players who are alike share it. */
interface Seat {
  facts: Facts;
  /** The number of each score among those that the tables hold. */
  place: Map<number, number>;
  caps: Int32Array;
  win: Float64Array | null;
}

interface Line extends Between {
  scores: number[];
  left: number;
  busts: number[];
}

export class PushProblem extends Problem {
  private readonly seats: Seat[];
  private readonly players: number;
  private readonly last: Float64Array | null;
  private readonly deficitCount: number;
  private readonly bustCounts: number;
  /** Whether players have rules of their own. */
  private readonly isUnlike: boolean;
  /** Mixed actions by line: the probability of the second turn, and the zero value that decides each turn. */
  private readonly mixed = new Map<number, [number, number, number]>();
  readonly possibleScores: number[];
  readonly step: number;

  constructor(
    private readonly data: PageData,
    arrays: Arrays,
  ) {
    super();
    this.players = data.players;
    const { seats } = data.match as unknown as { seats?: Facts[] };
    const seat = (facts: Facts, number: string): Seat => ({
      facts,
      place: new Map(facts.scores.map((score, n) => [score, n])),
      caps: arrays.ints(`caps${number}`),
      win: arrays.has(`win${number}`) ? arrays.doubles(`win${number}`) : null,
    });
    this.isUnlike = seats !== undefined;
    this.seats = seats
      ? seats.map((facts, n) => seat(facts, String(n + 1)))
      : Array(this.players).fill(seat(data.match as unknown as Facts, ''));
    this.last = arrays.has('last') ? arrays.doubles('last') : null;
    this.deficitCount = this.last ? arrays.shape('last')[1] : 0;
    const facts = this.seats.map((one) => one.facts);
    this.bustCounts = Math.max(1, facts[0].costs.length);
    const mixed = arrays.has('mixed') ? arrays.doubles('mixed') : [];
    for (let n = 0; n < mixed.length; n += 4)
      this.mixed.set(mixed[n], [mixed[n + 1], mixed[n + 2], mixed[n + 3]]);
    this.possibleScores = [...new Set(facts.flatMap((one) => one.scores))].sort((a, b) => a - b);
    this.step = facts.reduce((step, { grain }) => Math.min(step, grain), Infinity);
  }

  start(): Line {
    const scores = this.seats.map(({ facts }) => facts.head_start ?? 0);
    return this.line(scores, 0, this.facts().turns, Array(this.players).fill(0));
  }

  /** What the mover of a position plays by. */
  private facts({ seat }: { seat: number } = { seat: 0 }): Facts {
    return this.seats[seat].facts;
  }

  private line(scores: number[], seat: number, left: number, busts: number[]): Line {
    return { scores, seat, left, busts, ended: null };
  }

  /** The number of a player's state in the tables. */
  private state(line: Line, seat: number): number {
    return this.seats[seat].place.get(line.scores[seat])! * this.bustCounts + (line.busts[seat] || 0);
  }

  /** The place of a line of states, from the mover on, in the tables. */
  private at(line: Line, seats = this.players): number {
    let place = this.facts().turns ? line.left - 1 : 0;
    for (let k = 0; k < seats; k++) {
      const seat = (line.seat + k) % this.players;
      place = place * this.seats[seat].facts.scores.length * this.bustCounts + this.state(line, seat);
    }
    return place;
  }

  storedValues(b: Between): number[] | null {
    const line = b as Line;
    const { facts, win } = this.seats[line.seat];
    if (facts.finish === 'one_turn') return null;
    if (this.isLast(line)) {
      const mine = line.scores[line.seat];
      const behind = (largest(line.scores) - mine) / facts.grain;
      const column = Math.min(behind, this.deficitCount - 1); // the chance of the last column holds beyond it
      const chance = this.last![(mine ? this.deficitCount : 0) + column];
      return this.bySeat(line.seat, [chance, 1 - chance]);
    }
    const place = this.at(line);
    if (this.players === 1) return [win![place]];
    if (this.players === 2) return this.bySeat(line.seat, [win![place], 1 - win![place]]);
    const shares = [...win!.subarray(place * (this.players - 1), (place + 1) * (this.players - 1))];
    return this.bySeat(line.seat, [...shares, this.remainder(shares)]);
  }

  /** The number of a line among those of all movers; players who are alike share theirs. */
  private lineNumber(line: Line): number {
    const place = this.at(line);
    if (!this.isUnlike) return place;
    const linesPerMover = this.seats.reduce((count, { facts }) => count * facts.scores.length, 1);
    return line.seat * linesPerMover + place;
  }

  mixedAction(b: Between): { zeroValue: number; share: number }[] | null {
    const mix = this.mixed.size ? this.mixed.get(this.lineNumber(b as Line)) : undefined;
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

  root(b: Between): Root {
    const { choose, fresh } = this.facts(b);
    return { at: choose ? 'choose' : 'throw', n: fresh };
  }

  rolls(b: Between): [number, number] | null {
    return this.facts(b).rolls ?? null;
  }

  facesOf(b: Between): string[] | null {
    return this.facts(b).faces ?? null;
  }

  private isLast(line: Line): boolean {
    const { finish, target } = this.facts(line);
    return finish === 'last_round' && line.scores.some((score, n) => n !== line.seat && score >= target);
  }

  private least(line: Line): number {
    const { facts, place } = this.seats[line.seat];
    const number = place.get(line.scores[line.seat]) ?? 0;
    const one = facts.finish === 'one_turn' ? Math.min(number, facts.least.length - 1) : number;
    return (this.isLast(line) ? facts.at_last : facts.least)[one];
  }

  bankCounts(b: Between, points: number): boolean {
    return points >= this.least(b as Line);
  }

  mayHold(b: Between, points: number): boolean {
    const line = b as Line;
    const { finish, target } = this.facts(line);
    return finish !== 'exact' || line.scores[line.seat] + points <= target;
  }

  bustCost(b: Between): BustCost {
    const line = b as Line;
    const { facts, place } = this.seats[line.seat];
    const count = line.busts[line.seat] || 0;
    const [cost, number] = facts.losses[count];
    if (facts.finish === 'one_turn' || !facts.costs.length) return [cost, number, 0];
    const score = line.scores[line.seat];
    const taken = score - facts.busted[place.get(score)!][count][0];
    return [taken, number, cost - taken];
  }

  after(b: Between, ending: Ending): Line {
    const line = b as Line;
    const score = line.scores[line.seat];
    const { facts, place } = this.seats[line.seat];
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
        if (!facts.costs.length) return this.end(line, score, 0, 0);
        const count = line.busts[line.seat];
        const [to, next] = facts.busted[place.get(score)!][count];
        return this.end(line, to, -facts.costs[count], next);
      }
    }
  }

  private end(line: Line, score: number, banked: number, count: number): Line {
    const { finish, target, turns, lowest } = this.facts(line);
    const seat = line.seat;
    const scores = line.scores.map((other, n) => (n === seat ? score : other));
    const busts = line.busts.map((other, n) => (n === seat ? count : other));
    const next = (seat + 1) % this.players;
    if (finish === 'one_turn') {
      const counted = Math.min(banked, this.missing(line));
      return { ...line, busts, ended: [lowest ? -banked : counted] };
    }
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

  /** The points that a turn lacks to the goal; infinite without one. */
  private missing(line: Line): number {
    const { goal } = this.facts(line);
    return goal === undefined ? Infinity : goal - line.scores[line.seat];
  }

  neededToBank(b: Between): number {
    return this.least(b as Line);
  }

  endings(b: Between): {
    specials: Ending[];
    bank(units: number): Ending;
    cap(largestUnits: number): number;
  } {
    const line = b as Line;
    const { facts, caps } = this.seats[line.seat];
    const { grain, sign, bank, target, finish } = facts;
    const kinds = ['bust', 'win', 'wipe'];
    return {
      specials: kinds.map((kind) => ({ kind, points: 0, n: 0 })),
      bank: (units) => {
        const points = sign * (units - bank) * grain;
        const counts = points >= 0 && this.bankCounts(b, points);
        if (counts && !this.mayHold(b, points)) return { kind: 'bust', points: 0, n: 0 };
        if (!counts && !facts.passes) return { kind: NEVER, points: 0, n: 0 };
        return { kind: counts ? 'bank' : 'stop', points: counts ? points : 0, n: 0 };
      },
      cap: (largestUnits) => {
        if (this.isLast(line))
          return Math.max(
            (largest(line.scores) - line.scores[line.seat]) / grain + 1,
            this.least(line) / grain,
            0,
          );
        const both = this.players === 2 && finish === 'last_round';
        if (this.missing(line) < Infinity) return Math.max(caps[this.state(line, line.seat)], largestUnits);
        const place =
          finish === 'one_turn' ? this.oneTurnPlace(line) : this.at(line, both ? this.players : 1);
        const far = both || finish === 'one_turn' || target === 0;
        return caps[place] + (far ? largestUnits : 0);
      },
    };
  }

  /** For one turn only whether the opening is done matters, and the busts in a row. */
  private oneTurnPlace(line: Line): number {
    const place = Math.min(line.scores[line.seat] > 0 ? 1 : 0, this.facts(line).scores.length - 1);
    return place * this.bustCounts + (line.busts[line.seat] || 0);
  }

  units(b: Between, points: number, offset: number): number {
    const { sign, grain } = this.facts(b);
    return (sign * points) / grain + offset;
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
    if (line.left !== this.facts().turns) fields.push(['turns_left', String(line.left)]);
    if (this.facts().costs.length) {
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
    const { turns } = this.facts();
    const left = parseWhole(fields.get('turns_left') ?? String(turns), 'turns_left');
    if (seat < 0 || seat >= this.players) throw new Refused('between', 'seat', seat, 0, this.players - 1);
    const list = (name: string, first: number, usual: number[]) => {
      const others = fields.get(name)?.split(',') ?? usual.map(String);
      if (others.length !== this.players - 1)
        throw new Refused('wrongOpponents', name, this.players - 1, others.length);
      return this.bySeat(seat, [first, ...others.map((part) => parseWhole(part, name))]);
    };
    if (left < 0 || left > turns || (turns && !left)) throw new Refused('wrongTurnsLeft', left, turns);
    const usual = this.start().scores;
    const score = parseWhole(fields.get('score') ?? String(usual[seat]), 'score');
    const opponents = usual.slice(1).map((_, n) => (seat + 1 + n) % this.players);
    const usualScores = opponents.map((n) => usual[n]);
    const noBusts = opponents.map(() => 0);
    const scores = list('opponents', score, usualScores);
    const busts = list('opponents_busts', parseWhole(fields.get('busts') ?? '0', 'busts'), noBusts);
    return this.withScores(this.line(scores, seat, left, busts), scores, seat);
  }

  private withScores(b: Between, scores: number[], seat: number): Line {
    scores.forEach((score, n) => {
      const { finish, target, grain, goal } = this.seats[n].facts;
      const far = n !== seat && finish === 'last_round' && score >= target;
      const anyScore = finish === 'one_turn' && goal === undefined;
      const why = anyScore || (far && score % grain === 0) ? null : this.wrongScore(score, n);
      if (why) throw new Refused(why.key, phrase(n === seat ? 'score' : 'theirScore'), score, why.limit);
    });
    const line = { ...(b as Line), scores, seat };
    const most = this.bustCounts - 1;
    if (line.busts.some((count) => count < 0 || count > most)) throw new Refused('wrongBusts', most);
    return line;
  }

  /** Why a seat cannot hold so many points between turns, or null if it can. */
  private wrongScore(score: number, seat: number): WrongScore | null {
    const { facts, place } = this.seats[seat];
    if (place.has(score)) return null;
    if (score % facts.grain) return { key: 'steps', limit: facts.grain };
    const found = facts.wrong.find(([from, to]) => score >= from && score <= to);
    return found ? { key: found[2], limit: found[3] } : { key: 'cannotBe', limit: 0 };
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
    const { costs, grain, target } = this.facts(b);
    const points = parseWhole(word, 'points');
    if (points < 0) throw new Refused('belowZero', 'points', points);
    if (!points) return this.after(b, { kind: costs.length ? 'bust' : 'stop', points, n: 0 });
    if (points % grain) throw new Refused('steps', 'points', points, grain);
    if (!this.banks(b, points)) throw new Refused('noTurnPoints', points);
    if (!this.bankCounts(b, points)) throw new Refused('countsNot', points, this.least(b as Line));
    if (!this.mayHold(b, points)) throw new Refused('pointsPassTarget', points, target);
    return this.after(b, { kind: 'bank', points, n: 0 });
  }

  /** Whether a turn can bank so many points; no turn that matters gets far beyond the target. */
  private banks(b: Between, points: number): boolean {
    const { grain, banks } = this.facts(b);
    const unit = points / grain;
    return unit >= 4 * banks.length || hasBit(banks, unit);
  }

  usualTurns(b: Between): [string, string][] {
    const words = this.data.graph.words;
    const { grain, target } = this.facts(b);
    const least = Math.max(grain, this.least(b as Line));
    const turns: [string, string][] = [['bust', 'bust']];
    for (let points = least; turns.length < 12; points += grain) {
      if (points > 100 * target + least + 1000) break;
      if (this.banks(b, points) && this.mayHold(b, points)) turns.push([String(points), formatGain(points)]);
      else if (!this.mayHold(b, points)) break;
    }
    for (const word of ['win', 'wipe']) if (words.includes(word)) turns.push([word, word]);
    return turns;
  }
}
