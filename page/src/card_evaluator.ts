/** Values of cards, from the keep kernel. */
import type { Evaluator } from './answers';
import type { Lattice } from './card_dice';
import type { CardTable } from './card_table';
import { type Facts, type Scorecard, popcount } from './card_facts';
import { type Block, CardKernel, type NextValues, type Options } from './card_kernel';
import type { Arrays } from './data';
import { LANES } from './kernel';
import type { Position } from './play';

export interface State {
  used: number;
  flag: number;
}

/** Values between turns: the page contains some; the others, for later positions, are solved when needed. */
export class CardEvaluator implements Evaluator {
  private readonly kernel: CardKernel;
  private readonly facts: Facts;
  private readonly lattice: Lattice;
  /** By state: the points still to come by upper total, and the totals with known values (null: all). */
  private readonly rows = new Map<number, Float64Array>();
  private readonly knownTotals = new Map<number, Set<number> | null>();
  private readonly width: number;
  private readonly columnShifts: number[][];
  private lastSolve: { key: string; value: number; inner: Float64Array } | null = null;

  constructor(
    private readonly table: CardTable,
    instance: WebAssembly.Instance,
    arrays: Arrays,
  ) {
    this.facts = table.facts;
    this.lattice = table.lattice;
    const { upper, bonuses, width: rowLength } = this.facts;
    this.width = upper ? bonuses.length + LANES : LANES;
    const values = arrays.doubles('values');
    for (let offset = 0; offset < values.length; offset += rowLength) {
      this.rows.set(values[offset], this.widen(values.subarray(offset + 1, offset + rowLength)));
      this.knownTotals.set(values[offset], null);
    }
    this.kernel = new CardKernel(instance, this.lattice, this.facts, arrays, (points, upperGain) => ({
      gain: points < 0 ? -Infinity : points,
      shift: upperGain,
    }));
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

  /** Return the options of states, and the states that they lead to, by row. */
  private options(states: State[]): { options: Options; rows: number[] } {
    const rows: number[] = [];
    const rowNumbers = new Map<number, number>();
    const options: Options = { start: [0], column: [], row: [], from: [], to: [] };
    for (const state of states) {
      for (const [entry, fills, , , , sets, first, last] of this.table.entries(state)) {
        const key = this.key(successorOf(state, fills, sets));
        if (!rowNumbers.has(key)) {
          rowNumbers.set(key, rows.length);
          rows.push(key);
        }
        options.column.push(entry);
        options.row.push(rowNumbers.get(key)!);
        options.from.push(first);
        options.to.push(last);
      }
      options.start.push(options.column.length);
    }
    return { options, rows };
  }

  /** Let the kernel solve turns of states. */
  private solve<T>(states: State[], run: (next: NextValues, options: Options) => T): T {
    const { options, rows } = this.options(states);
    const after = new Float64Array(rows.length * this.width);
    rows.forEach((key, n) => after.set(this.rows.get(key)!, n * this.width));
    const mark = this.kernel.mark();
    const result = run({ address: this.kernel.copyIn(after), width: this.width, rowOfPlace: 0 }, options);
    this.kernel.release(mark);
    return result;
  }

  /** Return the points still to come in a state that was solved, by upper total. */
  pointsOf(state: State): Float64Array {
    return this.rows.get(this.key(state))!;
  }

  /**
   * Return the probability of each full roll at the end of a turn played for points, by upper total.
   *
   * Args:
   *   state: the state in which the turn begins; what can follow was solved.
   *   uppers: the upper totals at its start, rising.
   *   tie: the largest difference of values that tie.
   */
  endings(state: State, uppers: number[], tie: number): Float64Array[] {
    const lanesByBlock = new Map<number, number[]>();
    for (const upper of uppers) {
      const lane = upper % LANES;
      const lanes = lanesByBlock.get(upper - lane);
      if (lanes) lanes.push(lane);
      else lanesByBlock.set(upper - lane, [lane]);
    }
    return this.solve([state], (next, options) =>
      [...lanesByBlock].flatMap(([first, lanes]) =>
        this.kernel.endings(next, options, [0, first], lanes, tie),
      ),
    );
  }

  private isKnown(key: number, total: number): boolean {
    const totals = this.knownTotals.get(key);
    return totals === null || (totals !== undefined && totals.has(total));
  }

  /** Solve all states that can follow a state with this upper total, unless their values are known. */
  solveSuccessors(state: State, upper: number): void {
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
            reach(successorOf(origin, fills, sets), Math.min(total + shift, lastTotal));
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
          (lane): Block => [n, lane],
        ),
      );
      const value = this.solve(missing, (next, options) => this.kernel.values(next, options, blocks));
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
      const solved = this.solve([card], (next, options) =>
        this.kernel.inside(next, options, [0, card.upper]),
      );
      this.lastSolve = { key, ...solved };
    }
    return valueInside(this.table, p, this.lastSolve);
  }
}

/** Return the state after an entry that fills boxes and may make the flag hold. */
export function successorOf({ used, flag }: State, fills: number, sets: number): State {
  return { used: used | fills, flag: Math.max(flag, sets) };
}

/** Return the value of a position inside a turn that was solved. */
export function valueInside(
  table: CardTable,
  p: Position,
  { value, inner }: { value: number; inner: Float64Array },
): number {
  if (p.isTurnStart) return value;
  const { facts, lattice } = table;
  const rollsDone = table.rollNumber(p) - Number(p.at === 'throw');
  const index = Math.min(rollsDone, facts.throws - 1) * lattice.nodes + table.node(p);
  return inner[index * LANES];
}
