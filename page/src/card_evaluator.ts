/** Values of cards, from the keep kernel. */
import type { Evaluator } from './answers';
import type { Lattice } from './card_dice';
import type { CardTable } from './card_table';
import { type Facts, type Filled, popcount } from './card_facts';
import type { Arrays } from './data';
import { LANES, Room } from './kernel';
import { largest } from './numbers';
import type { Position } from './play';

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
