/** The push kernel of the engine, as WebAssembly: what a turn is worth, and every throw of it. */
import type { Arrays, PageData } from './data';
import { largest } from './numbers';

export const LANES = 8;

/** The order of the kernel's own description of a turn (csrc/push_kernel.h). */
const NUMBERS = ['modes', 'specials', 'groups', 'start', 'forbid', 'max_add', 'over_passes'];
const POINTERS = [
  'group_start',
  'order',
  'bank',
  'bank_from',
  'most',
  'throw_start',
  'class_start',
  'total',
  'weight',
  'choice_start',
  'next',
  'add',
  'keeps',
];

interface Exports {
  memory: WebAssembly.Memory;
  scratch(turn: number, channels: number, rows: number): number;
  solve(
    turn: number,
    payoff: number,
    caps: number,
    channels: number,
    endings: number,
    rows: number,
    value: number,
    scratch: number,
  ): void;
  throws(
    turn: number,
    payoff: number,
    caps: number,
    channels: number,
    endings: number,
    rows: number,
    scratch: number,
    count: number,
    asked: number,
    found: number,
  ): void;
}

/** Memory beyond what the compiled code uses itself, handed out from one end. */
export class Room {
  private used: number;

  constructor(readonly memory: WebAssembly.Memory) {
    this.used = memory.buffer.byteLength;
  }

  take(bytes: number): number {
    const at = this.used;
    this.used += (bytes + 15) & ~15;
    const missing = this.used - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow((missing + 65535) >> 16);
    return at;
  }

  mark(): number {
    return this.used;
  }

  release(mark: number): void {
    this.used = mark;
  }
}

/** One turn to solve: what its endings pay (channels x endings), and where its table is cut. */
export interface Lane {
  payoff: Float64Array[];
  cap: number;
}

export class PushKernel {
  private readonly calls: Exports;
  private readonly room: Room;
  private readonly turn: number;
  private readonly start: Int32Array;
  readonly maxAdd: number;
  readonly specials: number;

  constructor(instance: WebAssembly.Instance, told: NonNullable<PageData['turn']>, arrays: Arrays) {
    this.calls = instance.exports as unknown as Exports;
    this.room = new Room(this.calls.memory);
    this.maxAdd = told.max_add;
    this.specials = told.specials;
    const places = POINTERS.map((name) => {
      const real = name === 'total' || name === 'weight';
      const from = real ? arrays.doubles(`turn.${name}`) : arrays.ints(`turn.${name}`);
      const at = this.room.take(from.byteLength);
      new Uint8Array(this.calls.memory.buffer, at, from.byteLength).set(
        new Uint8Array(from.buffer, from.byteOffset, from.byteLength),
      );
      return at;
    });
    this.turn = this.room.take(4 * (NUMBERS.length + POINTERS.length));
    new Int32Array(this.calls.memory.buffer, this.turn, NUMBERS.length + POINTERS.length).set([
      ...NUMBERS.map((name) => told[name]),
      ...places,
    ]);
    this.start = arrays.ints('turn.throw_start');
  }

  /** The number of one of a mode's throws among all. */
  throwOf(mode: number, way: number): number {
    return this.start[mode] + way;
  }

  /**
   * Solve up to LANES turns and say what throws of each are worth: `asked` are throws with the points in hand, in units;
   * returned are lanes x asked x channels. The value of a turn itself stands last, where nothing is asked: asked + 1.
   */
  solve(lanes: Lane[], asked: [number, number][]): number[][][] {
    const { memory } = this.calls;
    const channels = lanes[0].payoff.length;
    const top = largest(lanes.map((lane) => lane.cap));
    const rows = top + this.maxAdd + 1;
    const endings = this.specials + top + 1;
    const mark = this.room.mark();
    const payoff = this.room.take(8 * channels * endings * LANES);
    const caps = this.room.take(4 * LANES);
    const value = this.room.take(8 * channels * LANES);
    const scratch = this.room.take(8 * this.calls.scratch(this.turn, channels, rows));
    const wanted = this.room.take(8 * asked.length);
    const found = this.room.take(8 * asked.length * channels * LANES);
    const pays = new Float64Array(memory.buffer, payoff, channels * endings * LANES);
    const cuts = new Int32Array(memory.buffer, caps, LANES);
    for (let l = 0; l < LANES; l++) {
      const lane = lanes[Math.min(l, lanes.length - 1)];
      cuts[l] = lane.cap;
      lane.payoff.forEach((from, k) => {
        for (let e = 0; e < endings; e++)
          pays[(k * endings + e) * LANES + l] = from[Math.min(e, from.length - 1)];
      });
    }
    this.calls.solve(this.turn, payoff, caps, channels, endings, rows, value, scratch);
    new Int32Array(memory.buffer, wanted, 2 * asked.length).set(
      asked.flatMap(([which, units]) => [which, Math.min(units, top)]),
    );
    this.calls.throws(this.turn, payoff, caps, channels, endings, rows, scratch, asked.length, wanted, found);
    const worth = new Float64Array(memory.buffer, found, asked.length * channels * LANES);
    const whole = new Float64Array(memory.buffer, value, channels * LANES);
    const each = [...Array(channels).keys()];
    const told = lanes.map((_, l) => [
      ...asked.map((__, n) => each.map((k) => worth[(n * channels + k) * LANES + l])),
      each.map((k) => whole[k * LANES + l]),
    ]);
    this.room.release(mark);
    return told;
  }
}
