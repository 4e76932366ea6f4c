/** The push kernel of the engine, as WebAssembly: the values of turns, and of the rolls inside them. */
import type { Arrays, PageData } from './data';
import { largest } from './numbers';

export const LANES = 8;

/** The fields of the kernel's C structure of a turn, in order (csrc/push_kernel.h). */
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
    rolls: number,
    values: number,
  ): void;
}

/** A stack of memory behind the memory that the compiled code uses itself. */
export class Room {
  private used: number;

  constructor(readonly memory: WebAssembly.Memory) {
    this.used = memory.buffer.byteLength;
  }

  take(bytes: number): number {
    const address = this.used;
    this.used += (bytes + 15) & ~15;
    const missing = this.used - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow((missing + 65535) >> 16);
    return address;
  }

  mark(): number {
    return this.used;
  }

  release(mark: number): void {
    this.used = mark;
  }
}

/** One turn to solve: its payoff (channels x endings), and its cap. */
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

  /** The kernel of a turn, whose arrays have names that begin with `name`. */
  constructor(
    instance: WebAssembly.Instance,
    turn: NonNullable<PageData['turn']>,
    arrays: Arrays,
    name: string,
  ) {
    this.calls = instance.exports as unknown as Exports;
    this.room = new Room(this.calls.memory);
    this.maxAdd = turn.max_add;
    this.specials = turn.specials;
    const addresses = POINTERS.map((pointer) => {
      const isDouble = pointer === 'total' || pointer === 'weight';
      const source = isDouble ? arrays.doubles(`${name}.${pointer}`) : arrays.ints(`${name}.${pointer}`);
      const address = this.room.take(source.byteLength);
      new Uint8Array(this.calls.memory.buffer, address, source.byteLength).set(
        new Uint8Array(source.buffer, source.byteOffset, source.byteLength),
      );
      return address;
    });
    this.turn = this.room.take(4 * (NUMBERS.length + POINTERS.length));
    new Int32Array(this.calls.memory.buffer, this.turn, NUMBERS.length + POINTERS.length).set([
      ...NUMBERS.map((number) => turn[number]),
      ...addresses,
    ]);
    this.start = arrays.ints(`${name}.throw_start`);
  }

  /** The number of a mode's roll among all rolls. */
  throwOf(mode: number, way: number): number {
    return this.start[mode] + way;
  }

  /**
   * Solve up to LANES turns.
   *
   * Args:
   *   lanes: the turns.
   *   rolls: rolls inside the turn, each with its turn points in units.
   *
   * Returns:
   *   Values, lanes x (rolls + 1) x channels; the last row of a lane is the value of the turn itself.
   */
  solve(lanes: Lane[], rolls: [number, number][]): number[][][] {
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
    const rollsAddress = this.room.take(8 * rolls.length);
    const valuesAddress = this.room.take(8 * rolls.length * channels * LANES);
    const payoffs = new Float64Array(memory.buffer, payoff, channels * endings * LANES);
    const laneCaps = new Int32Array(memory.buffer, caps, LANES);
    for (let l = 0; l < LANES; l++) {
      const lane = lanes[Math.min(l, lanes.length - 1)];
      laneCaps[l] = lane.cap;
      lane.payoff.forEach((channel, k) => {
        for (let e = 0; e < endings; e++)
          payoffs[(k * endings + e) * LANES + l] = channel[Math.min(e, channel.length - 1)];
      });
    }
    this.calls.solve(this.turn, payoff, caps, channels, endings, rows, value, scratch);
    new Int32Array(memory.buffer, rollsAddress, 2 * rolls.length).set(
      rolls.flatMap(([roll, units]) => [roll, Math.min(units, top)]),
    );
    this.calls.throws(
      this.turn,
      payoff,
      caps,
      channels,
      endings,
      rows,
      scratch,
      rolls.length,
      rollsAddress,
      valuesAddress,
    );
    const rollValues = new Float64Array(memory.buffer, valuesAddress, rolls.length * channels * LANES);
    const turnValues = new Float64Array(memory.buffer, value, channels * LANES);
    const channelNumbers = [...Array(channels).keys()];
    const solutions = lanes.map((_, l) => [
      ...rolls.map((__, n) => channelNumbers.map((k) => rollValues[(n * channels + k) * LANES + l])),
      channelNumbers.map((k) => turnValues[k * LANES + l]),
    ]);
    this.room.release(mark);
    return solutions;
  }
}
