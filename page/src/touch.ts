/** Booby Trap: positions between turns, with their pieces, scores and passes; values from the touch kernel. */
import type { Evaluator } from './answers';
import type { Arrays, PageData } from './data';
import { Room } from './kernel';
import { type Between, type Ending, Problem, Refused, type Root } from './problem';
import { type Position, parseWhole } from './play';
import { fromMover, bySeat, parseNumbers, parseSeat, parseScores } from './seats';
import { largest } from './numbers';
import { phrase } from './refusals';

export const SIZES = ['large', 'medium', 'small'] as const;
const FEELS = 8;

interface Facts {
  board: number[];
  last: number;
  limit: number;
  in_order: number;
  points: number[];
  penalty: number;
  trips: number;
  passes: boolean;
  feels: string[];
  width: number;
  origin: number;
  step: number;
  roots: [string, boolean, Root['at'], number][];
}

interface Line extends Between {
  left: number[];
  scores: number[];
  trips: number;
  passes: number;
}

export class TouchProblem extends Problem {
  readonly facts: Facts;
  readonly listsAllTurns = true;
  private readonly players: number;
  private readonly roots: Map<string, Root>;

  constructor(private readonly data: PageData) {
    super();
    this.facts = data.match as unknown as Facts;
    this.players = data.players;
    this.roots = new Map(
      this.facts.roots.map(([present, isForced, at, n]) => [`${present}${isForced}`, { at, n }]),
    );
  }

  start(): Line {
    const scores = this.players > 1 ? Array<number>(this.players).fill(0) : [];
    return { left: this.facts.board, scores, trips: 0, seat: 0, passes: 0, ended: null };
  }

  root(b: Between): Root {
    const { left, passes } = b as Line;
    const present = left.map((count) => Number(count > 0)).join('');
    const isForced = this.facts.limit > 0 && passes >= this.facts.limit;
    return this.roots.get(`${present}${isForced}`)!;
  }

  after(b: Between, { kind, n }: Ending): Line {
    const line = b as Line;
    const { last, penalty, points, trips: maxTrips } = this.facts;
    const seat = (line.seat + 1) % this.players;
    if (kind === 'pass') return { ...line, seat, passes: line.passes + 1 };
    const [size, tripped] = [n >> 1, n % 2];
    const left = line.left.map((count, n) => count - Number(n === size));
    const isOver = left.reduce((a, c) => a + c, 0) <= last;
    if (this.players === 1) {
      const trips = line.trips + tripped;
      const ended = isOver || trips > maxTrips ? [Number(trips <= maxTrips)] : null;
      return { ...line, left, trips, passes: 0, ended };
    }
    const gain = tripped ? -penalty : points[size];
    const scores = line.scores.map((score, n) => score + gain * Number(n === line.seat));
    return { left, scores, trips: 0, seat, passes: 0, ended: isOver ? this.shares(scores) : null };
  }

  private shares(scores: number[]): number[] {
    const top = largest(scores);
    const win = this.data.objective === 'win';
    const pot = win ? 1 : scores.reduce((sum, score) => sum + top - score, 0);
    const share = pot / scores.filter((score) => score === top).length;
    return scores.map((score) => (score === top ? share : win ? 0 : score - top));
  }

  formatFields(b: Between): [string, string][] {
    const line = b as Line;
    const fields: [string, string][] = [['left', line.left.join(',')]];
    if (this.players > 1) {
      const [score, ...others] = fromMover(line.seat, line.scores);
      fields.push(['score', String(score)], ['opponents', others.join(',')]);
    } else fields.push(['trips', String(line.trips)]);
    if (line.seat) fields.push(['seat', String(line.seat)]);
    if (this.facts.passes) fields.push(['passes', String(line.passes)]);
    return fields;
  }

  parseFields(fields: Map<string, string>): Line {
    const { board, last, limit, trips: maxTrips } = this.facts;
    const { seat } = parseSeat(fields, this.players);
    const left = fields.has('left') ? parseNumbers(fields.get('left'), 'left') : board;
    if (left.length !== 3) throw new Refused('threeSizes', left.length);
    left.forEach((count, size) => {
      if (count < 0) throw new Refused('belowZero', 'left', count);
      if (count > board[size]) throw new Refused('morePieces', count, phrase(SIZES[size]), board[size]);
    });
    const pieces = left.reduce((a, c) => a + c, 0);
    if (pieces <= last) throw new Refused('fewPieces', pieces, last);
    const removed = board.map((count, size) => count - left[size]);
    const passes = parseWhole(fields.get('passes') ?? '0', 'passes');
    if (passes < 0 || passes > limit) throw new Refused('passesInRow', passes, limit);
    const trips = parseWhole(fields.get('trips') ?? '0', 'trips');
    if (this.players === 1 && (trips < 0 || trips > maxTrips))
      throw new Refused('tooManyTrips', trips, maxTrips);
    if (trips > sumOf(removed)) throw new Refused('tripsPieces', trips, sumOf(removed));
    const scores = this.players > 1 ? parseScores(fields, seat, this.players) : [];
    if (this.players > 1 && !this.isPossible(removed, scores))
      throw new Refused('scoresPieces', fromMover(seat, scores), sumOf(removed));
    return { left, scores, trips, seat, passes, ended: null };
  }

  /** Whether players can have these scores after this many removed pieces. A piece scored its points, or tripped the bar. */
  private isPossible(removed: number[], scores: number[]): boolean {
    const { points, penalty } = this.facts;
    const results = new Map<string, boolean>();
    const isPossible = (left: number[], removedLeft: number, scoresLeft: number[]): boolean => {
      if (!scoresLeft.length) return true;
      const key = `${left.join()} ${removedLeft} ${scoresLeft.join()}`;
      const stored = results.get(key);
      if (stored !== undefined) return stored;
      const [score, ...others] = scoresLeft;
      let result = false;
      for (let x = 0; x <= left[0] && !result; x++)
        for (let y = 0; y <= left[1] && !result; y++)
          for (let z = 0; z <= left[2] && !result; z++) {
            const tripPoints = x * points[0] + y * points[1] + z * points[2] - score;
            const trips = penalty ? tripPoints / penalty : 0;
            if (tripPoints < 0 || !Number.isInteger(trips) || (!penalty && tripPoints)) continue;
            const count = x + y + z + trips;
            if (count <= removedLeft)
              result = isPossible([left[0] - x, left[1] - y, left[2] - z], removedLeft - count, others);
          }
      results.set(key, result);
      return result;
    };
    return isPossible(removed, sumOf(removed), scores);
  }

  scores(b: Between): number[] {
    return (b as Line).scores;
  }

  applyTurn(b: Between, words: string): Line {
    const [word = '', ...rest] = words.trim().toLowerCase().split(/\s+/);
    const line = b as Line;
    if (word === 'pass' && !rest.length) {
      if (!this.facts.passes || line.passes >= this.facts.limit) throw new Refused('noPass');
      return this.after(b, { kind: 'pass', points: 0, n: 0 });
    }
    const size = SIZES.findIndex((size) => size === word);
    if (size < 0 || (rest.length && rest.join(' ') !== 'tripped'))
      throw new Refused('noTouch', words.trim().slice(0, 40));
    if (!this.isTouchable(line, size)) throw new Refused('noPiece', phrase(SIZES[size]));
    return this.after(b, { kind: 'gone', points: 0, n: 2 * size + Number(rest.length > 0) });
  }

  private isTouchable(line: Line, size: number): boolean {
    return (
      line.left[size] > 0 && !(this.facts.in_order && line.left.slice(size + 1).some((count) => count > 0))
    );
  }

  usualTurns(b: Between): [string, string][] {
    const line = b as Line;
    const touches = SIZES.flatMap((name, size) =>
      this.isTouchable(line, size) ? [name, `${name} tripped`] : [],
    );
    const pass = this.facts.passes && line.passes < this.facts.limit ? ['pass'] : [];
    return [...touches, ...pass].map((words) => [
      words,
      SIZES.some((size) => size === words) ? `${words} safe` : words,
    ]);
  }
}

function sumOf(numbers: number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}

interface Exports {
  memory: WebAssembly.Memory;
  scratch(game: number): number;
  solve(game: number, end: number, after: number, scratch: number): void;
  node(game: number, after: number, left: number, take: number, run: number, sum: number): void;
}

/** Values of positions. The kernel solves the whole board for the first of them. */
export class TouchEvaluator implements Evaluator {
  private readonly calls: Exports;
  private readonly room: Room;
  private readonly facts: Facts;
  private readonly game: number;
  private readonly sign: number;
  private readonly chance: Float64Array;
  private after = 0;
  private nodes: { left: string; take: number; run: number };

  constructor(
    private readonly data: PageData,
    private readonly problem: TouchProblem,
    instance: WebAssembly.Instance,
    arrays: Arrays,
  ) {
    this.calls = instance.exports as unknown as Exports;
    this.room = new Room(this.calls.memory);
    this.facts = problem.facts;
    this.sign = data.players === 1 ? 1 : -1;
    this.chance = arrays.doubles('chance');
    this.game = this.describe(arrays);
    const { limit, width } = this.facts;
    const take = this.room.take(8 * 3 * FEELS * width);
    this.nodes = { left: '', take, run: this.room.take(8 * (limit + 1) * width) };
  }

  /** Write the game as the kernel's C structure (csrc/touch_kernel.h); return its address. */
  private describe(arrays: Arrays): number {
    const { board, last, limit, in_order, points, penalty, feels, width, origin, step } = this.facts;
    const alone = this.sign > 0;
    const at = this.room.take(80 + 3 * 8 * 3 * FEELS);
    const numbers = [
      ...board,
      last,
      limit,
      in_order,
      this.sign,
      feels.length,
      ...(alone ? [0, 0, 0] : points),
      alone ? 1 : -penalty,
      0,
      0,
      alone ? 0 : step,
      step,
    ];
    const { buffer } = this.calls.memory;
    new Int32Array(buffer, at, 20).set([...numbers, origin, 0, width, 0]);
    ['chance', 'holds', 'trip'].forEach((name, k) => {
      const source = arrays.doubles(name);
      for (let size = 0; size < 3; size++)
        new Float64Array(buffer, at + 80 + 8 * FEELS * (3 * k + size), feels.length).set(
          source.subarray(size * feels.length, (size + 1) * feels.length),
        );
    });
    return at;
  }

  private boardValues(): number {
    if (this.after) return this.after;
    const { board, origin, width, trips } = this.facts;
    const end = this.room.take(8 * width);
    const scratch = this.room.take(8 * this.calls.scratch(this.game));
    const after = this.room.take(8 * width * board.reduce((a, count) => a * (count + 1), 1));
    const places = new Float64Array(this.calls.memory.buffer, end, width);
    for (let n = 0; n < width; n++) {
      const place = n - origin;
      places[n] =
        this.sign > 0 ? Number(place <= trips) : this.data.objective === 'win' ? Math.sign(place) : place;
    }
    this.calls.solve(this.game, end, after, scratch);
    return (this.after = after);
  }

  private node(left: number[]): { take: Float64Array; run: Float64Array } {
    const { width, limit } = this.facts;
    const after = this.boardValues();
    if (this.nodes.left !== left.join()) {
      const mark = this.room.mark();
      const counts = this.room.take(12);
      const sum = this.room.take(16 * width);
      new Int32Array(this.calls.memory.buffer, counts, 3).set(left);
      this.calls.node(this.game, after, counts, this.nodes.take, this.nodes.run, sum);
      this.room.release(mark);
      this.nodes.left = left.join();
    }
    const { buffer } = this.calls.memory;
    return {
      take: new Float64Array(buffer, this.nodes.take, 3 * FEELS * width),
      run: new Float64Array(buffer, this.nodes.run, (limit + 1) * width),
    };
  }

  values(positions: Position[]): number[][] {
    return positions.map((p) => {
      const ended = this.problem.result(p.b);
      return ended ?? this.bySeat(this.problem.mover(p.b), this.payoff(p));
    });
  }

  private bySeat(mover: number, payoff: number): number[] {
    if (this.sign > 0) return [payoff];
    if (this.data.objective === 'win') return bySeat(mover, [(1 + payoff) / 2, (1 - payoff) / 2]);
    return bySeat(mover, [payoff, 0 - payoff]);
  }

  /** Payoff before a piece is touched, before it is felt, or before it is taken. */
  private payoff(p: Position): number {
    const line = p.b as Line;
    const { origin, width, limit, feels } = this.facts;
    const place = this.sign > 0 ? line.trips : line.scores[line.seat] - line.scores[1 - line.seat];
    const [index, otherIndex] = [origin + place, origin + this.sign * place];
    const { take, run } = this.node(line.left);
    if (p.isTurnStart) return run[line.passes * width + index];
    const fields = this.inside(p);
    const touched = fields.get('touched');
    const size = SIZES.findIndex((name) => name === touched);
    const takePayoff = (feel: number) => take[(size * FEELS + feel) * width + index];
    if (fields.has('taking')) return takePayoff(feels.indexOf(fields.get('feel')!.replace(/_/g, ' ')));
    let payoff = 0;
    for (let feel = 0; feel < feels.length; feel++) {
      const pass = line.passes < limit ? this.sign * run[(line.passes + 1) * width + otherIndex] : -Infinity;
      payoff += this.chance[size * feels.length + feel] * Math.max(takePayoff(feel), pass);
    }
    return payoff;
  }

  private inside(p: Position): Map<string, string> {
    const { forms, throws } = this.data.graph;
    return new Map(forms[throws[p.n].form]);
  }
}
