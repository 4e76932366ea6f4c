/** The keep kernel of the engine, as WebAssembly: it solves turns of a card in blocks of lanes (csrc/keep_kernel.h). */
import type { Lattice } from './card_dice';
import type { Facts } from './card_facts';
import type { Arrays } from './data';
import { LANES, Room } from './kernel';
import { largest } from './numbers';

interface Exports {
  memory: WebAssembly.Memory;
  scratch(turn: number): number;
  solve(turn: number, job: number, scratch: number): void;
  flow(turn: number, inner: number, lane: number, tie: number, chances: number, scratch: number): void;
}

/** What entering a full roll brings in a column. */
export interface RollKind {
  /** The value that it adds; -Infinity if the roll may not be entered. */
  gain: number;
  /** By how many lanes it moves on. */
  shift: number;
  /** By how many places it moves on to another row; only in turns with hops. */
  hop?: number;
}

/** The options for entering a full roll, by problem, and the rows of values that they lead to. */
export interface Options {
  /** By problem, where its options begin; then the number of all options. */
  start: number[];
  column: number[];
  /** The row of values; in turns with hops, the place before the hop. */
  row: number[];
  from: number[];
  to: number[];
}

/** Blocks of turns: the problem and the first lane of each. */
export type Block = [problem: number, lane: number];

/** Values that turns lead to, in the kernel's memory. */
export interface NextValues {
  address: number;
  width: number;
  /** The row of each place, for turns with hops. */
  rowOfPlace: number;
}

export class CardKernel {
  private readonly calls: Exports;
  private readonly room: Room;
  private readonly turn: number;
  private readonly scratchBytes: number;
  private readonly fullCount: number;

  /**
   * Describe the turn of a card to the kernel.
   *
   * Args:
   *   kindOf: from the points of a roll in a column and what they add to the upper total, what entering it brings.
   */
  constructor(
    instance: WebAssembly.Instance,
    private readonly lattice: Lattice,
    private readonly facts: Facts,
    arrays: Arrays,
    kindOf: (points: number, upperGain: number) => RollKind,
  ) {
    this.calls = instance.exports as unknown as Exports;
    this.room = new Room(this.calls.memory);
    this.fullCount = lattice.nodes - lattice.firstFull;
    this.turn = this.describe(arrays, kindOf);
    this.scratchBytes = 8 * Math.max(this.calls.scratch(this.turn), 3 * lattice.nodes);
  }

  copyIn(from: Float64Array | Int32Array | Uint16Array): number {
    const address = this.room.take(from.byteLength);
    new Uint8Array(this.calls.memory.buffer, address, from.byteLength).set(
      new Uint8Array(from.buffer, from.byteOffset, from.byteLength),
    );
    return address;
  }

  copyIn64(from: number[]): number {
    const pairs = new Int32Array(2 * from.length);
    from.forEach((value, n) => (pairs[2 * n] = value));
    return this.copyIn(pairs);
  }

  mark(): number {
    return this.room.mark();
  }

  release(mark: number): void {
    this.room.release(mark);
  }

  /** The kernel's own description of the turn. */
  private describe(arrays: Arrays, kindOf: (points: number, upperGain: number) => RollKind): number {
    const scores = arrays.ints('scores');
    const shifts = arrays.ints('shifts');
    const full = this.fullCount;
    const columns = scores.length / full;
    const kinds: RollKind[] = [];
    const start = [0];
    const kind = new Uint16Array(scores.length);
    for (let column = 0; column < columns; column++) {
      const kindNumbers = new Map<string, number>();
      for (let cell = column * full; cell < (column + 1) * full; cell++) {
        const key = `${scores[cell]} ${shifts[cell]}`;
        if (!kindNumbers.has(key)) {
          kindNumbers.set(key, kindNumbers.size);
          kinds.push(kindOf(scores[cell], shifts[cell]));
        }
        kind[cell] = kindNumbers.get(key)!;
      }
      start.push(kinds.length);
    }
    const hasHops = kinds.some(({ hop }) => hop !== undefined);
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
      this.copyIn(Float64Array.from(kinds, ({ gain }) => gain)),
      this.copyIn(Int32Array.from(kinds, ({ shift }) => shift)),
      hasHops ? this.copyIn(Int32Array.from(kinds, ({ hop }) => hop!)) : 0,
    ];
    return this.copyIn(Int32Array.from(words));
  }

  /** Solve blocks of turns; then read the result in memory, which is released afterwards. */
  private run<T>(
    next: NextValues,
    options: Options,
    blocks: Block[],
    inner: boolean,
    read: (value: number, inner: number) => T,
  ): T {
    const mark = this.room.mark();
    const value = this.room.take(8 * blocks.length * LANES);
    const innerAddress = inner ? this.room.take(8 * blocks.length * this.innerSize) : 0;
    const words = [
      next.width,
      blocks.length,
      next.address,
      this.copyIn64(options.start),
      this.copyIn(Int32Array.from(options.column)),
      this.copyIn64(options.row),
      this.copyIn(Int32Array.from(options.from)),
      this.copyIn(Int32Array.from(options.to)),
      this.copyIn64(blocks.map(([problem]) => problem)),
      this.copyIn64(blocks.map(([, lane]) => lane)),
      value,
      innerAddress,
      next.rowOfPlace,
    ];
    const job = this.copyIn(Int32Array.from(words));
    this.calls.solve(this.turn, job, this.room.take(this.scratchBytes));
    const result = read(value, innerAddress);
    this.room.release(mark);
    return result;
  }

  /** The number of values inside the turns of a block. */
  private get innerSize(): number {
    return this.facts.throws * this.lattice.nodes * LANES;
  }

  private doubles(address: number, count: number): Float64Array {
    return new Float64Array(this.calls.memory.buffer, address, count);
  }

  /** Return the values of blocks of turns, by block and lane. */
  values(next: NextValues, options: Options, blocks: Block[]): Float64Array {
    return this.run(next, options, blocks, false, (value) =>
      this.doubles(value, blocks.length * LANES).slice(),
    );
  }

  /** Return the value of the first lane of a block, and its values inside the turn, by roll, node and lane. */
  inside(next: NextValues, options: Options, block: Block): { value: number; inner: Float64Array } {
    return this.run(next, options, [block], true, (value, inner) => ({
      value: this.doubles(value, 1)[0],
      inner: this.doubles(inner, this.innerSize).slice(),
    }));
  }

  /**
   * Return the probability of each full roll at the end of turns in which the best dice are kept.
   *
   * Args:
   *   block: the block of the turns.
   *   lanes: those of its lanes that are asked for.
   *   tie: the largest difference of values that tie.
   */
  endings(next: NextValues, options: Options, block: Block, lanes: number[], tie: number): Float64Array[] {
    return this.run(next, options, [block], true, (_, inner) =>
      lanes.map((lane) => {
        const chances = this.room.take(8 * this.fullCount);
        this.calls.flow(this.turn, inner, lane, tie, chances, this.room.take(this.scratchBytes));
        return this.doubles(chances, this.fullCount).slice();
      }),
    );
  }
}
