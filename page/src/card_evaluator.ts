/** Values of cards, from the keep kernel. */
import type { Evaluator } from './answers';
import type { Lattice } from './card_dice';
import type { CardTable } from './card_table';
import { type Facts, type Scorecard, popcount } from './card_facts';
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

/** Values between turns: the page contains some; the others, for later positions, are solved when needed. */
export class CardEvaluator implements Evaluator {
  private readonly calls: Exports;
  private readonly room: Room;
  private readonly turn: number;
  private readonly facts: Facts;
  private readonly lattice: Lattice;
  /** By state: the points still to come by upper total, and the totals with known values (null: all). */
  private readonly rows = new Map<number, Float64Array>();
  private readonly knownTotals = new Map<number, Set<number> | null>();
  private readonly width: number;
  private readonly columnShifts: number[][];
  private lastSolve: { key: string; solved: Solve } | null = null;

  constructor(
    private readonly table: CardTable,
    instance: WebAssembly.Instance,
    arrays: Arrays,
  ) {
    this.calls = instance.exports as unknown as Exports;
    this.room = new Room(this.calls.memory);
    this.facts = table.facts;
    this.lattice = table.lattice;
    const { upper, bonuses, width: rowLength } = this.facts;
    this.width = upper ? bonuses.length + LANES : LANES;
    const values = arrays.doubles('values');
    for (let offset = 0; offset < values.length; offset += rowLength) {
      this.rows.set(values[offset], this.widen(values.subarray(offset + 1, offset + rowLength)));
      this.knownTotals.set(values[offset], null);
    }
    this.turn = this.describe(arrays);
    const shifts = arrays.ints('shifts');
    const full = this.lattice.nodes - this.lattice.firstFull;
    this.columnShifts = Array.from({ length: shifts.length / full }, (_, column) => [
      ...new Set(shifts.subarray(column * full, (column + 1) * full)),
    ]);
  }

  private widen(values: Float64Array): Float64Array {
    const row = new Float64Array(this.width);
    for (let n = 0; n < this.width; n++) row[n] = values[Math.min(n, values.length - 1)];
    return row;
  }

  private key({ used, flag }: State): number {
    return used + flag * (this.facts.full + 1);
  }

  private copyIn(from: Float64Array | Int32Array | Uint16Array): number {
    const address = this.room.take(from.byteLength);
    new Uint8Array(this.calls.memory.buffer, address, from.byteLength).set(
      new Uint8Array(from.buffer, from.byteOffset, from.byteLength),
    );
    return address;
  }

  private copyIn64(from: number[]): number {
    const pairs = new Int32Array(2 * from.length);
    from.forEach((value, n) => (pairs[2 * n] = value));
    return this.copyIn(pairs);
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
      const kindNumbers = new Map<string, number>();
      for (let cell = column * full; cell < (column + 1) * full; cell++) {
        const key = `${scores[cell]} ${shifts[cell]}`;
        if (!kindNumbers.has(key)) {
          kindNumbers.set(key, kindNumbers.size);
          kinds.push([scores[cell] < 0 ? -Infinity : scores[cell], shifts[cell]]);
        }
        kind[cell] = kindNumbers.get(key)!;
      }
      start.push(kinds.length);
    }
    const ints = (name: string) => this.copyIn(arrays.ints(name));
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
      this.copyIn(arrays.doubles('chance')),
      this.copyIn(arrays.doubles('weight')),
      this.copyIn(kind),
      this.copyIn(Int32Array.from(start)),
      largest(start.map((begin, column) => begin - (start[column - 1] ?? 0))),
      this.copyIn(Float64Array.from(kinds, ([gain]) => gain)),
      this.copyIn(Int32Array.from(kinds, ([, shift]) => shift)),
      0,
    ];
    return this.copyIn(Int32Array.from(words));
  }

  /** Solve turns of states, a block of upper totals each: blocks of [state's entries, first total]. */
  private solve(states: State[], blocks: [number, number][], inner: boolean): Solve {
    const mark = this.room.mark();
    const rows: number[] = [];
    const rowNumbers = new Map<number, number>();
    const start = [0];
    const [column, row, from, to] = [[], [], [], []] as number[][];
    for (const state of states) {
      for (const [entry, fills, , , , sets, first, lastSolve] of this.table.entries(state)) {
        const key = this.key({ used: state.used | fills, flag: Math.max(state.flag, sets) });
        if (!rowNumbers.has(key)) {
          rowNumbers.set(key, rows.length);
          rows.push(key);
        }
        column.push(entry);
        row.push(rowNumbers.get(key)!);
        from.push(first);
        to.push(lastSolve);
      }
      start.push(column.length);
    }
    const after = new Float64Array(rows.length * this.width);
    rows.forEach((key, n) => after.set(this.rows.get(key)!, n * this.width));
    const cells = inner ? blocks.length * this.facts.throws * this.lattice.nodes * LANES : 0;
    const words = [
      this.width,
      blocks.length,
      this.copyIn(after),
      this.copyIn64(start),
      this.copyIn(Int32Array.from(column)),
      this.copyIn64(row),
      this.copyIn(Int32Array.from(from)),
      this.copyIn(Int32Array.from(to)),
      this.copyIn64(blocks.map(([state]) => state)),
      this.copyIn64(blocks.map(([, lane]) => lane)),
      this.room.take(8 * blocks.length * LANES),
      inner ? this.room.take(8 * cells) : 0,
    ];
    const job = this.copyIn(Int32Array.from(words));
    this.calls.solve(this.turn, job, this.room.take(8 * this.calls.scratch(this.turn)));
    const { buffer } = this.calls.memory;
    const solution = {
      value: new Float64Array(buffer, words[10], blocks.length * LANES).slice(),
      inner: inner ? new Float64Array(buffer, words[11], cells).slice() : null,
    };
    this.room.release(mark);
    return solution;
  }

  private isKnown(key: number, total: number): boolean {
    const totals = this.knownTotals.get(key);
    return totals === null || (totals !== undefined && totals.has(total));
  }

  /** Solve all states that can follow a state with this upper total, unless their values are known. */
  private solveSuccessors(state: State, upper: number): void {
    const { upper: mask, bonuses, full } = this.facts;
    const lastTotal = bonuses.length - 1;
    const layers: Map<number, State & { totals: Set<number> }>[] = [];
    const reach = (successor: State, total: number) => {
      const key = this.key(successor);
      if (this.isKnown(key, total)) return;
      const layer = (layers[popcount(successor.used)] ??= new Map());
      const layerState = layer.get(key) ?? { ...successor, totals: new Set<number>() };
      layerState.totals.add(total);
      layer.set(key, layerState);
    };
    const reachSuccessors = (origin: State, totals: Iterable<number>) => {
      for (const [column, fills, , , , sets] of this.table.entries(origin))
        for (const total of totals)
          for (const shift of mask ? this.columnShifts[column] : [0])
            reach(
              { used: origin.used | fills, flag: Math.max(origin.flag, sets) },
              Math.min(total + shift, lastTotal),
            );
    };
    const firstSize = popcount(state.used) + 1;
    reachSuccessors(state, [upper]);
    for (let size = firstSize; size < layers.length; size++)
      for (const layerState of layers[size]?.values() ?? [])
        if (layerState.used !== full) reachSuccessors(layerState, layerState.totals);
    for (let size = layers.length - 1; size >= firstSize; size--) {
      const missing = [...(layers[size]?.values() ?? [])];
      if (!missing.length) continue;
      if (size === popcount(full)) {
        for (const layerState of missing) {
          this.rows.set(this.key(layerState), this.widen(Float64Array.from(bonuses)));
          this.knownTotals.set(this.key(layerState), null);
        }
        continue;
      }
      const blocks = missing.flatMap((layerState, n) =>
        [...new Set([...layerState.totals].map((total) => Math.floor(total / LANES) * LANES))].map(
          (lane): [number, number] => [n, lane],
        ),
      );
      const { value } = this.solve(missing, blocks, false);
      const rows = missing.map(
        (layerState) => this.rows.get(this.key(layerState)) ?? new Float64Array(this.width),
      );
      blocks.forEach(([n, lane], k) => {
        for (let l = 0; l < LANES && lane + l < this.width; l++)
          if (missing[n].totals.has(lane + l)) rows[n][lane + l] = value[k * LANES + l];
      });
      missing.forEach((layerState, n) => {
        const key = this.key(layerState);
        if (mask && layerState.totals.has(lastTotal)) rows[n].fill(rows[n][lastTotal], lastTotal);
        if (!mask) rows[n].fill(rows[n][0]);
        this.rows.set(key, rows[n]);
        this.knownTotals.set(key, new Set([...(this.knownTotals.get(key) ?? []), ...layerState.totals]));
      });
    }
  }

  values(positions: Position[]): number[][] {
    return positions.map((p) => {
      const card = p.b as Scorecard;
      if (card.ended) return card.ended;
      if (p.isTurnStart && this.isKnown(this.key(card), card.upper))
        return [card.score + this.rows.get(this.key(card))![card.upper]];
      return [card.score + this.turnValue(p)];
    });
  }

  private turnValue(p: Position): number {
    const card = p.b as Scorecard;
    const key = `${this.key(card)} ${card.upper}`;
    if (this.lastSolve?.key !== key) {
      this.solveSuccessors(card, card.upper);
      this.lastSolve = { key, solved: this.solve([card], [[0, card.upper]], true) };
    }
    const { value, inner } = this.lastSolve.solved;
    if (p.isTurnStart) return value[0];
    const rollsDone = this.table.rollNumber(p) - Number(p.at === 'throw');
    const index = Math.min(rollsDone, this.facts.throws - 1) * this.lattice.nodes + this.table.node(p);
    return inner![index * LANES];
  }
}
