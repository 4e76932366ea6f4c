/** Cards of categories: what may be kept and where a throw may be entered; values from the keep kernel. */
import type { Evaluator } from './answers';
import type { Arrays, PageData } from './data';
import { LANES, Room } from './kernel';
import { type Between, Match, Refused, type Root } from './match';
import type { Act, BoxEntry } from './choices';
import { type Choice, idOf, partsOf, type Position, type Table, whole, withText } from './play';
import { largest } from './numbers';
import { diceCount } from './refusals';

/** column, categories filled, open, used, box for all alike (-1: no matter), makes it hold points, throws from, to */
type Entry = [number, number, number, number, number, number, number, number];

interface Facts {
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

interface Filled extends Between {
  used: number;
  score: number;
  upper: number;
  flag: number;
}

/** Which boxes of a card are used, and the upper total. */
export function filledBoxes(b: Between): { isUsed(n: number): boolean; upperTotal: number } {
  const { used, upper } = b as Filled;
  return { isUsed: (n) => ((used >> n) & 1) === 1, upperTotal: upper };
}

const THROWS = 16; // a position inside a turn is told by its throw and the dice: n = node * THROWS + throw

function popcount(mask: number): number {
  let count = 0;
  for (let rest = mask; rest; rest &= rest - 1) count++;
  return count;
}

/** All throws of up to all dice, by number. */
class Lattice {
  readonly counts: Uint8Array;
  readonly firstFull: number;
  readonly nodes: number;
  private readonly numbers = new Map<string, number>();
  private readonly sizes: number[] = [];

  constructor(
    readonly facts: Facts,
    arrays: Arrays,
  ) {
    this.counts = arrays.bytes('counts');
    this.nodes = arrays.shape('counts')[0];
    this.firstFull = arrays.shape('child')[0];
    for (let n = 0; n < this.nodes; n++) {
      const counts = this.of(n);
      this.numbers.set(counts.join(), n);
      this.sizes.push(counts.reduce((a, b) => a + b, 0));
    }
  }

  of(node: number): number[] {
    return [...this.counts.subarray(node * this.facts.faces, (node + 1) * this.facts.faces)];
  }

  number(counts: number[]): number {
    return this.numbers.get(counts.join()) ?? -1;
  }

  size(node: number): number {
    return this.sizes[node];
  }

  /** The nodes of so many dice. */
  sized(size: number): [number, number] {
    return [this.sizes.indexOf(size), this.sizes.lastIndexOf(size) + 1];
  }

  show(counts: number[]): string[] {
    return counts.flatMap((count, face) => Array<string>(count).fill(String(face + 1)));
  }
}

export class CardMatch extends Match {
  readonly facts: Facts;

  constructor(data: PageData) {
    super();
    this.facts = data.match as unknown as Facts;
  }

  start(): Filled {
    return { used: 0, score: 0, upper: 0, flag: 0, seat: 0, ended: null };
  }

  root(): Root {
    return { at: 'throw', n: 1 };
  }

  after(): Between {
    throw new Error('a card is filled by its own table');
  }

  /** The card once these categories are filled. */
  filled(b: Between, fills: number, points: number, shift: number, sets: number): Filled {
    const own = b as Filled;
    const { full, again, flags, bonuses } = this.facts;
    const used = own.used | fills;
    const upper = Math.min(own.upper + shift, bonuses.length - 1);
    const flag = flags === 2 && fills & again ? sets : own.flag;
    const score = own.score + points;
    const ended = used === full ? [score + bonuses[upper]] : null;
    return { used, score, upper, flag, seat: 0, ended };
  }

  tell(b: Between): [string, string][] {
    const own = b as Filled;
    const { names, again, flags, holds, upper } = this.facts;
    const found: [string, string][] = own.score ? [['score', String(own.score)]] : [];
    const used = names.flatMap((name, n) => {
      if (!((own.used >> n) & 1)) return [];
      const shown = name.replace(/ /g, '_');
      return [flags === 2 && (again >> n) & 1 ? `${shown}=${own.flag ? holds : 0}` : shown];
    });
    if (used.length) found.push(['used', used.join(',')]);
    if (upper) found.push(['upper', String(own.upper)]);
    return found;
  }

  read(told: Map<string, string>): Filled {
    const { names, again, flags, before, boxes, full, bonuses, upper: uppers } = this.facts;
    let used = 0;
    const points = new Map<number, number>();
    for (const word of (told.get('used') ?? '').split(',').filter(Boolean)) {
      const [name, held] = word.split('=');
      const n = names.indexOf(name.replace(/_/g, ' ').trim().toLowerCase());
      if (n < 0) throw new Refused('noBox', name.slice(0, 40));
      if ((used >> n) & 1) throw new Refused('boxTwice', names[n]);
      used |= 1 << n;
      if (held) points.set(n, whole(held, names[n]));
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
    const known = [...Array(names.length).keys()].filter((n) => ((used & uppers) >> n) & 1);
    let upper = 0;
    if (told.has('upper')) upper = whole(told.get('upper')!, 'upper');
    else if (known.every((n) => points.has(n))) upper = known.reduce((sum, n) => sum + points.get(n)!, 0);
    else throw new Refused('upperMissing');
    upper = Math.min(upper, bonuses.length - 1);
    if (upper < 0 || (upper && !this.canHold(used & uppers, upper))) throw new Refused('upperWrong', upper);
    const score = whole(told.get('score') ?? '0', 'score');
    if (score < 0) throw new Refused('belowZero', 'score', score);
    return { used, score, upper, flag, seat: 0, ended: null };
  }

  private canHold(used: number, upper: number): boolean {
    let totals = new Set([0]);
    const most = this.facts.bonuses.length - 1;
    for (let n = 0; n < this.facts.names.length; n++) {
      if (!((used >> n) & 1)) continue;
      const next = new Set<number>();
      for (const total of totals) for (const held of this.held(n)) next.add(Math.min(total + held, most));
      totals = next;
    }
    return totals.has(upper);
  }

  /** What a category can hold. */
  private held(n: number): Set<number> {
    const scores = this.partScores!;
    const each = scores.length / this.facts.names.length;
    return new Set(scores.subarray(n * each, (n + 1) * each));
  }

  partScores: Int32Array | null = null;

  scores(b: Between): number[] {
    return [(b as Filled).score];
  }

  brings(b: Between, words: string): Between {
    const { names, boxes, again, flags, upper } = this.facts;
    const own = b as Filled;
    const parts = words.toLowerCase().replace(/_/g, ' ').split(',');
    if (parts.length !== boxes) throw new Refused('turnFills', boxes, names[0]);
    let [fills, points, shift, sets] = [0, 0, 0, 0];
    for (const part of parts) {
      const name = part.trim().split(/\s+/).slice(0, -1).join(' ');
      const held = whole(part.trim().split(/\s+/).pop()!, 'points');
      const n = names.indexOf(name);
      if (n < 0) throw new Refused('noBox', name.slice(0, 40));
      if ((own.used | fills) & (1 << n)) throw new Refused('boxUsed', name);
      if (!this.held(n).has(held)) throw new Refused('boxPoints', held, name);
      fills |= 1 << n;
      points += held;
      if ((upper >> n) & 1) shift += held;
      if (flags === 2 && (again >> n) & 1) sets = Number(held > 0);
    }
    return this.filled(b, fills, points, shift, sets);
  }

  brought(words: string): string {
    return `turn ${words.trim().toLowerCase()}`;
  }

  usual(): [string, string][] {
    return [];
  }
}

/** A card as it is played. */
export class CardTable implements Table {
  readonly facts: Facts;
  readonly lattice: Lattice;
  private readonly scored: Int32Array;
  private readonly shifts: Int32Array;
  private readonly parts: Uint8Array;
  private readonly full: number;

  constructor(
    readonly data: PageData,
    readonly match: CardMatch,
    arrays: Arrays,
  ) {
    this.facts = match.facts;
    this.lattice = new Lattice(this.facts, arrays);
    this.scored = arrays.ints('scores');
    this.shifts = arrays.ints('shifts');
    this.parts = arrays.bytes('parts');
    this.full = this.lattice.nodes - this.lattice.firstFull;
    match.partScores = arrays.ints('part_scores');
  }

  start(): Position {
    return this.begin(this.match.start());
  }

  begin(b: Between): Position {
    if (this.match.over(b)) return { b, at: 'over', n: 0, points: 0, begins: false };
    return { b, at: 'throw', n: 1, points: 0, begins: true };
  }

  private inside_(b: Between, at: 'throw' | 'choose', node: number, throw_: number): Position {
    return { b, at, n: node * THROWS + throw_, points: 0, begins: false };
  }

  node(p: Position): number {
    return Math.floor(p.n / THROWS);
  }

  throwOf(p: Position): number {
    return p.n % THROWS;
  }

  mover(): number {
    return 0;
  }

  choices(p: Position): Choice[] {
    return this.throwOf(p) < this.facts.throws ? this.keeps(p) : this.enters(p);
  }

  private keeps(p: Position): Choice[] {
    const counts = this.lattice.of(this.node(p));
    let subsets: number[][] = [[]];
    for (const count of counts)
      subsets = subsets.flatMap((some) => Array.from({ length: count + 1 }, (_, n) => [...some, n]));
    const size = (some: number[]) => some.reduce((a, b) => a + b, 0);
    return subsets
      .map((kept, n) => ({ kept, n, size: size(kept) }))
      .sort((a, b) => b.size - a.size || a.n - b.n)
      .map(({ kept, size: held }) => {
        const shown = this.lattice.show(kept);
        const again = this.facts.dice - held;
        const node = this.lattice.number(kept);
        if (!again)
          return {
            ...withText({ kind: 'keep', data: { type: 'CardDice', dice: 0 }, keep: shown }),
            points: 0,
            diceLeft: 0,
            then: 'end',
            after: this.inside_(p.b, 'choose', node, this.facts.throws),
          };
        return {
          ...withText({ kind: 'roll', data: { type: 'CardDice', dice: again }, keep: shown }),
          points: 0,
          diceLeft: again,
          then: 'roll',
          after: this.inside_(p.b, 'throw', node, this.throwOf(p) + 1),
        };
      });
  }

  /** The ways to enter dice that a state offers, of all throws. */
  entries({ used, flag }: { used: number; flag: number }): Entry[] {
    return this.facts.entries.filter(
      ([, , open, needs, box]) => !(used & open) && (used & needs) === needs && (box < 0 || box === flag),
    );
  }

  /** The ways to enter the dice that lie, whatever throw it is. */
  entering(p: Position): Choice[] {
    return this.enters(p);
  }

  private enters(p: Position): Choice[] {
    const own = p.b as Filled;
    const full = this.node(p) - this.lattice.firstFull;
    const found = this.entries(own).flatMap(([column, fills, , , , sets, first, last]) => {
      const points = this.scored[column * this.full + full];
      if (full < first || full >= last || points < 0) return [];
      const shift = this.shifts[column * this.full + full];
      const after = this.begin(this.match.filled(own, fills, points, shift, sets));
      const entries = this.entered(column, full, points);
      const keep = entries.flatMap((one) => one.dice);
      const act: Act = { kind: 'enter', data: { type: 'BoxEntries', entries }, keep };
      return [{ ...withText(act), points, diceLeft: 0, then: 'end', after }];
    });
    return found.sort((a, b) => b.points - a.points);
  }

  private entered(column: number, full: number, points: number): BoxEntry[] {
    const { names, boxes, pairs } = this.facts;
    if (boxes === 1) return [{ box: names[column % names.length], points, dice: [] }];
    const [a, b] = pairs[column];
    const [first, second] = this.split(a, b, full);
    return [a, b].map((n, k) => {
      const part = [first, second][k];
      return { box: names[n], points: this.partScore(n, part), dice: this.lattice.show(this.part(part)) };
    });
  }

  private part(n: number): number[] {
    const { faces } = this.facts;
    return [...this.parts.subarray(n * faces, (n + 1) * faces)];
  }

  private partScore(category: number, part: number): number {
    const each = this.parts.length / this.facts.faces;
    return this.match.partScores![category * each + part];
  }

  private readonly partNumbers = new Map<string, number>();

  /** The split of a throw between two categories that scores most, the first of those that are equal. */
  private split(a: number, b: number, full: number): [number, number] {
    const each = this.parts.length / this.facts.faces;
    if (!this.partNumbers.size) for (let n = 0; n < each; n++) this.partNumbers.set(this.part(n).join(), n);
    const half = this.facts.dice / 2;
    const counts = this.lattice.of(this.lattice.firstFull + full);
    let firsts: number[][] = [[]];
    for (const count of counts)
      firsts = firsts.flatMap((some) =>
        Array.from({ length: Math.min(count, half) + 1 }, (_, n) => [...some, Math.min(count, half) - n]),
      );
    let best: [number, number] = [0, 0];
    let most = -1;
    for (const first of firsts) {
      if (first.reduce((x, y) => x + y, 0) !== half) continue;
      const one = this.partNumbers.get(first.join())!;
      const other = this.partNumbers.get(counts.map((count, n) => count - first[n]).join())!;
      const points = this.partScore(a, one) + this.partScore(b, other);
      if (points > most) [most, best] = [points, [one, other]];
    }
    return best;
  }

  falls(p: Position): number {
    const [from, to] = this.lattice.sized(this.facts.dice - this.kept(p));
    return to - from;
  }

  private kept(p: Position): number {
    return p.begins ? 0 : this.lattice.size(this.node(p));
  }

  fall(p: Position, n: number): { weight: number; after: Position } {
    const [from] = this.lattice.sized(this.facts.dice - this.kept(p));
    const thrown = this.lattice.of(from + n);
    const lying = this.lattice.of(p.begins ? 0 : this.node(p));
    const node = this.lattice.number(thrown.map((count, face) => count + lying[face]));
    const after = this.inside_(p.b, 'choose', node, p.begins ? 1 : this.throwOf(p));
    return { weight: this.weight(thrown), after };
  }

  private weight(counts: number[]): number {
    let ways = 1;
    let placed = 0;
    counts.forEach((count, face) => {
      for (let n = 1; n <= count; n++) ways = (ways * ++placed * this.facts.weights[face]) / n;
    });
    return Math.round(ways);
  }

  thrown(p: Position): { dice: number; act: Act; lies: string[] } {
    const again = this.facts.dice - this.kept(p);
    const lies = p.begins ? [] : this.lattice.show(this.lattice.of(this.node(p)));
    return {
      dice: again,
      act: {
        kind: 'roll',
        data: { type: 'CardThrow', dice: again, is_all: again === this.facts.dice },
        keep: [],
      },
      lies,
    };
  }

  spelled(p: Position): string {
    return this.shown(p).join(' ');
  }

  shown(p: Position): string[] {
    return p.at === 'choose' ? this.lattice.show(this.lattice.of(this.node(p))) : [];
  }

  private countsOf(dice: string[]): number[] {
    return Array.from(
      { length: this.facts.faces },
      (_, face) => dice.filter((one) => one === String(face + 1)).length,
    );
  }

  read(p: Position, dice: string[]): Position | null {
    const counts = this.countsOf(dice);
    const lying = this.lattice.of(p.begins ? 0 : this.node(p));
    if (dice.length !== this.facts.dice || counts.some((count, face) => count < lying[face])) return null;
    return this.inside_(p.b, 'choose', this.lattice.number(counts), p.begins ? 1 : this.throwOf(p));
  }

  readFall(p: Position, words: string): Position {
    const dice = [...words.replace(/[\s,]/g, '')];
    const bad = dice.find((face) => !this.data.graph.faces.includes(face));
    if (bad) throw new Refused('noSuchFace', bad, this.data.graph.faces);
    const { dice: count, lies } = this.thrown(p);
    const found = this.read(p, dice) ?? this.read(p, [...lies, ...dice]);
    if (found) return found;
    throw new Refused('otherCount', words.trim().slice(0, 60), diceCount(dice.length), diceCount(count));
  }

  options(): null {
    return null;
  }

  facesOf(): string[] {
    return this.data.graph.faces;
  }

  throwable(): { n: number; act: Act }[] {
    return [];
  }

  inside(b: Between): Position {
    return this.begin(b);
  }

  faces(word: string): string[] | null {
    return [...word].every((face) => this.data.graph.faces.includes(face)) ? [...word] : null;
  }

  note(p: Position): string {
    const own = p.b as Filled;
    if (p.at !== 'choose' || !this.facts.note || this.throwOf(p) < this.facts.throws) return '';
    const alike = largest(this.lattice.of(this.node(p))) === this.facts.dice;
    return alike && own.used & this.facts.again ? this.facts.note : '';
  }

  wipe(): null {
    return null;
  }

  mishap(): null {
    return null;
  }

  tell(p: Position): [string, string][] {
    const told = this.match.tell(p.b);
    if (p.begins || p.at === 'over') return told;
    const shown = this.lattice.show(this.lattice.of(this.node(p))).join('');
    const number: [string, string] = ['throw', String(this.throwOf(p))];
    if (p.at === 'choose') return [...told, number, ['roll', shown]];
    return [...told, number, shown ? ['kept', shown] : ['throwing', 'true']];
  }

  id(p: Position): string {
    return idOf(this.data, this.tell(p));
  }

  position(id: string): Position {
    const told = partsOf(this.data, id);
    const b = this.match.read(told);
    const number = whole(told.get('throw') ?? '1', 'throw');
    const { throws, dice } = this.facts;
    if (number < 1 || number > throws) throw new Refused('between', 'throw', number, 1, throws);
    if (told.has('roll')) {
      const roll = [...told.get('roll')!];
      if (roll.length !== dice) throw new Refused('wrongDice', roll.length, dice);
      const node = this.lattice.number(this.countsOf(roll));
      if (node < 0) throw new Refused('noSuchFaces', this.data.graph.faces);
      return this.inside_(b, 'choose', node, number);
    }
    if (number === 1) return this.begin(b);
    const kept = [...(told.get('kept') ?? '')];
    if (!kept.length && !told.has('throwing')) throw new Refused('rollMissing', number);
    const node = this.lattice.number(this.countsOf(kept));
    if (node < 0 || kept.length >= dice) throw new Refused('noneToThrow', kept.length, dice);
    return this.inside_(b, 'throw', node, number);
  }

  same(a: Position, b: Position): boolean {
    return this.id(a) === this.id(b) && a.at === b.at;
  }
}

interface Exports {
  memory: WebAssembly.Memory;
  scratch(turn: number): number;
  solve(turn: number, job: number, scratch: number): void;
}

interface State {
  used: number;
  flag: number;
}

interface Solve {
  value: Float64Array;
  inner: Float64Array | null;
}

/** Values between turns: those carried, and those of what can follow a later position, solved when asked for. */
export class CardEvaluator implements Evaluator {
  private readonly calls: Exports;
  private readonly room: Room;
  private readonly turn: number;
  private readonly facts: Facts;
  private readonly lattice: Lattice;
  /** By state, what is still to come by upper total; and by state the totals for which it is known, null: for all. */
  private readonly rows = new Map<number, Float64Array>();
  private readonly covered = new Map<number, Set<number> | null>();
  private readonly width: number;
  private readonly shiftsOf: number[][];
  private last: { key: string; solved: Solve } | null = null;

  constructor(
    private readonly table: CardTable,
    instance: WebAssembly.Instance,
    arrays: Arrays,
  ) {
    this.calls = instance.exports as unknown as Exports;
    this.room = new Room(this.calls.memory);
    this.facts = table.facts;
    this.lattice = table.lattice;
    const { upper, bonuses, width: carried } = this.facts;
    this.width = upper ? bonuses.length + LANES : LANES;
    const values = arrays.doubles('values');
    for (let at = 0; at < values.length; at += carried) {
      this.rows.set(values[at], this.widened(values.subarray(at + 1, at + carried)));
      this.covered.set(values[at], null);
    }
    this.turn = this.describe(arrays);
    const shifts = arrays.ints('shifts');
    const full = this.lattice.nodes - this.lattice.firstFull;
    this.shiftsOf = Array.from({ length: shifts.length / full }, (_, column) => [
      ...new Set(shifts.subarray(column * full, (column + 1) * full)),
    ]);
  }

  private widened(values: Float64Array): Float64Array {
    const row = new Float64Array(this.width);
    for (let n = 0; n < this.width; n++) row[n] = values[Math.min(n, values.length - 1)];
    return row;
  }

  private key({ used, flag }: State): number {
    return used + flag * (this.facts.full + 1);
  }

  private put(from: Float64Array | Int32Array | Uint16Array): number {
    const at = this.room.take(from.byteLength);
    new Uint8Array(this.calls.memory.buffer, at, from.byteLength).set(
      new Uint8Array(from.buffer, from.byteOffset, from.byteLength),
    );
    return at;
  }

  private put64(from: number[]): number {
    const pairs = new Int32Array(2 * from.length);
    from.forEach((value, n) => (pairs[2 * n] = value));
    return this.put(pairs);
  }

  /** The kernel's own description of the turn (csrc/keep_kernel.h). */
  private describe(arrays: Arrays): number {
    const scores = arrays.ints('scores');
    const shifts = arrays.ints('shifts');
    const full = this.lattice.nodes - this.lattice.firstFull;
    const columns = scores.length / full;
    const kinds: [number, number][] = [];
    const start = [0];
    const kind = new Uint16Array(scores.length);
    for (let column = 0; column < columns; column++) {
      const known = new Map<string, number>();
      for (let at = column * full; at < (column + 1) * full; at++) {
        const key = `${scores[at]} ${shifts[at]}`;
        if (!known.has(key)) {
          known.set(key, known.size);
          kinds.push([scores[at] < 0 ? -Infinity : scores[at], shifts[at]]);
        }
        kind[at] = known.get(key)!;
      }
      start.push(kinds.length);
    }
    const ints = (name: string) => this.put(arrays.ints(name));
    const words = [
      this.lattice.nodes,
      this.lattice.firstFull,
      this.facts.faces,
      this.facts.throws,
      ints('child'),
      arrays.shape('run_end')[0],
      ints('rising'),
      ints('run_end'),
      ints('run_parents'),
      ints('parent'),
      this.put(arrays.doubles('chance')),
      this.put(arrays.doubles('weight')),
      this.put(kind),
      this.put(Int32Array.from(start)),
      largest(start.map((begin, column) => begin - (start[column - 1] ?? 0))),
      this.put(Float64Array.from(kinds, ([gain]) => gain)),
      this.put(Int32Array.from(kinds, ([, shift]) => shift)),
      0,
    ];
    return this.put(Int32Array.from(words));
  }

  /** Solve turns of states, a block of upper totals each: blocks of [state's entries, first total]. */
  private solve(states: State[], blocks: [number, number][], inner: boolean): Solve {
    const mark = this.room.mark();
    const rows: number[] = [];
    const place = new Map<number, number>();
    const start = [0];
    const [column, row, from, to] = [[], [], [], []] as number[][];
    for (const state of states) {
      for (const [entry, fills, , , , sets, first, last] of this.table.entries(state)) {
        const key = this.key({ used: state.used | fills, flag: Math.max(state.flag, sets) });
        if (!place.has(key)) {
          place.set(key, rows.length);
          rows.push(key);
        }
        column.push(entry);
        row.push(place.get(key)!);
        from.push(first);
        to.push(last);
      }
      start.push(column.length);
    }
    const after = new Float64Array(rows.length * this.width);
    rows.forEach((key, n) => after.set(this.rows.get(key)!, n * this.width));
    const cells = inner ? blocks.length * this.facts.throws * this.lattice.nodes * LANES : 0;
    const told = [
      this.width,
      blocks.length,
      this.put(after),
      this.put64(start),
      this.put(Int32Array.from(column)),
      this.put64(row),
      this.put(Int32Array.from(from)),
      this.put(Int32Array.from(to)),
      this.put64(blocks.map(([state]) => state)),
      this.put64(blocks.map(([, lane]) => lane)),
      this.room.take(8 * blocks.length * LANES),
      inner ? this.room.take(8 * cells) : 0,
    ];
    const job = this.put(Int32Array.from(told));
    this.calls.solve(this.turn, job, this.room.take(8 * this.calls.scratch(this.turn)));
    const { buffer } = this.calls.memory;
    const solved = {
      value: new Float64Array(buffer, told[10], blocks.length * LANES).slice(),
      inner: inner ? new Float64Array(buffer, told[11], cells).slice() : null,
    };
    this.room.release(mark);
    return solved;
  }

  private known(key: number, total: number): boolean {
    const totals = this.covered.get(key);
    return totals === null || (totals !== undefined && totals.has(total));
  }

  /** See that what can follow a state, from this upper total on, is known. */
  private follow(state: State, upper: number): void {
    const { upper: mask, bonuses, full } = this.facts;
    const most = bonuses.length - 1;
    const layers: Map<number, State & { totals: Set<number> }>[] = [];
    const reach = (one: State, total: number) => {
      const key = this.key(one);
      if (this.known(key, total)) return;
      const layer = (layers[popcount(one.used)] ??= new Map());
      const known = layer.get(key) ?? { ...one, totals: new Set<number>() };
      known.totals.add(total);
      layer.set(key, known);
    };
    const onwards = (one: State, totals: Iterable<number>) => {
      for (const [column, fills, , , , sets] of this.table.entries(one))
        for (const total of totals)
          for (const shift of mask ? this.shiftsOf[column] : [0])
            reach({ used: one.used | fills, flag: Math.max(one.flag, sets) }, Math.min(total + shift, most));
    };
    const least = popcount(state.used) + 1;
    onwards(state, [upper]);
    for (let size = least; size < layers.length; size++)
      for (const one of layers[size]?.values() ?? []) if (one.used !== full) onwards(one, one.totals);
    for (let size = layers.length - 1; size >= least; size--) {
      const missing = [...(layers[size]?.values() ?? [])];
      if (!missing.length) continue;
      if (size === popcount(full)) {
        for (const one of missing) {
          this.rows.set(this.key(one), this.widened(Float64Array.from(bonuses)));
          this.covered.set(this.key(one), null);
        }
        continue;
      }
      const blocks = missing.flatMap((one, n) =>
        [...new Set([...one.totals].map((total) => Math.floor(total / LANES) * LANES))].map(
          (lane): [number, number] => [n, lane],
        ),
      );
      const { value } = this.solve(missing, blocks, false);
      const rows = missing.map((one) => this.rows.get(this.key(one)) ?? new Float64Array(this.width));
      blocks.forEach(([n, lane], k) => {
        for (let l = 0; l < LANES && lane + l < this.width; l++)
          if (missing[n].totals.has(lane + l)) rows[n][lane + l] = value[k * LANES + l];
      });
      missing.forEach((one, n) => {
        const key = this.key(one);
        if (mask && one.totals.has(most)) rows[n].fill(rows[n][most], most);
        if (!mask) rows[n].fill(rows[n][0]);
        this.rows.set(key, rows[n]);
        this.covered.set(key, new Set([...(this.covered.get(key) ?? []), ...one.totals]));
      });
    }
  }

  worth(positions: Position[]): number[][] {
    return positions.map((p) => {
      const own = p.b as Filled;
      if (own.ended) return own.ended;
      if (p.begins && this.known(this.key(own), own.upper))
        return [own.score + this.rows.get(this.key(own))![own.upper]];
      return [own.score + this.within(p)];
    });
  }

  private within(p: Position): number {
    const own = p.b as Filled;
    const key = `${this.key(own)} ${own.upper}`;
    if (this.last?.key !== key) {
      this.follow(own, own.upper);
      this.last = { key, solved: this.solve([own], [[0, own.upper]], true) };
    }
    const { value, inner } = this.last.solved;
    if (p.begins) return value[0];
    const after = this.table.throwOf(p) - Number(p.at === 'throw');
    const place = Math.min(after, this.facts.throws - 1) * this.lattice.nodes + this.table.node(p);
    return inner![place * LANES];
  }
}
