/** A race solved by the engine's own kernel (csrc/race_kernel.h), away from the page, in a worker. */
import type { Arrays } from './data';
import { LANES, Room } from './kernel';
import type { Maxima } from './maxima';
import { addMode, type Climb, type ModeSet, roundingBound, type Scores } from './monotone';
import { largest } from './numbers';
import { Refused } from './problem';
import { type SolvedRace, storedOrSolved } from './solved_races';

/** What one player plays by; all in units of points. */
export interface RaceSeat extends Pick<Scores, 'scores' | 'counts' | 'caps'> {
  turn: Climb;
  passes: boolean; // who may not bank may end the turn
  /** How maxima over choices are computed from each other. If both seats have them, zero turns are found with secants. */
  maxima?: Maxima | null;
}

/** What is asked, as solver/solvers/push/race_solver.py and unlike_race.py lay it out for the kernel. */
interface Race {
  kernel: Uint8Array<ArrayBuffer>;
  /** One seat if both players are alike. */
  seats: RaceSeat[];
  settled: [number, number];
  widen: [number, number];
  certain: number;
}

export interface Solved {
  /** By seat, the chances to win when it is to move, (own states, opponent's states). */
  wins: Float64Array[];
  gap: number;
}

export type Told = { done: number } | { solved: Solved } | { failed: number };

const PARTS = 50;
const SOLVED = 0;
const MOST_MODES_IN_16_BITS = 16;
const MOST_BOUND = 2 ** -20;
const SUM_ROUNDING = 2 ** -51;
const FIRST_SLOPE = 0.5; // the chance of a zero turn, as long as none is known

interface Exports {
  memory: WebAssembly.Memory;
  scratch(sides: number): number;
  solve(
    sides: number,
    pairs: number,
    starts: number,
    ready: number,
    last: number,
    shared: number,
    scratch: number,
  ): void;
}

/** All pairs of states, layers of equal total from the highest down, in units of a block of lanes. */
function units(
  mine: number[],
  theirs: number[] | null,
): { pairs: number[]; starts: number[]; ready: number[] } {
  const layers = new Map<number, [number, number][]>();
  mine.forEach((score, n) =>
    (theirs ?? mine.slice(0, n + 1)).forEach((opponentScore, k) => {
      const layer = layers.get(score + opponentScore);
      if (layer) layer.push([n, k]);
      else layers.set(score + opponentScore, [[n, k]]);
    }),
  );
  const pairs: number[] = [];
  const starts = [0];
  const ready: number[] = [];
  for (const total of [...layers.keys()].sort((a, b) => b - a)) {
    const layer = layers.get(total)!;
    const before = ready.length;
    for (let first = 0; first < layer.length; first += LANES) {
      for (const pair of layer.slice(first, first + LANES)) for (const one of pair) pairs.push(one);
      starts.push(pairs.length / 2);
      ready.push(before);
    }
  }
  return { pairs, starts, ready };
}

/** The memory of the kernel, to write into. */
class KernelMemory {
  private readonly room: Room;

  constructor(readonly memory: WebAssembly.Memory) {
    this.room = new Room(memory);
  }

  take(bytes: number): number {
    return this.room.take(bytes);
  }

  put(from: Int32Array | Float64Array): number {
    const at = this.room.take(from.byteLength);
    const bytes = new Uint8Array(from.buffer, from.byteOffset, from.byteLength);
    new Uint8Array(this.memory.buffer).set(bytes, at);
    return at;
  }

  ints(from: number[]): number {
    return this.put(Int32Array.from(from));
  }

  longs(from: number[]): number {
    return this.ints(from.flatMap((one) => [one, one < 0 ? -1 : 0]));
  }

  doubles(count: number, value: number): number {
    return this.put(new Float64Array(count).fill(value));
  }

  write(at: number, some: number[]): void {
    const view = new DataView(this.memory.buffer);
    some.forEach((one, n) => view.setInt32(at + 4 * n, one, true));
  }

  writeDoubles(at: number, some: number[]): void {
    const view = new DataView(this.memory.buffer);
    some.forEach((one, n) => view.setFloat64(at + 8 * n, one, true));
  }
}

/** One side of the race in the kernel's memory: the addresses of the turn, the race and its two tables. */
interface Side {
  turn: number;
  race: number;
  pay: number;
  gap: number;
  width: number;
}

/** Write what one player plays by, against an opponent with so many states. */
function writeSide(room: KernelMemory, race: Race, seat: RaceSeat, opponentStates: number): Side {
  const { turn, scores } = seat;
  const { modes, banks } = turn;
  const target = seat.caps.length;
  const states = scores.length;
  const start: ModeSet = [0, 0];
  addMode(start, turn.start);
  const turnAddress = room.take(112);
  const turnArrays = WITH_HANDS ? { ...turn.arrays, ...seat.maxima } : turn.arrays;
  const places = Object.values(turnArrays).map((array) => room.put(array));
  room.write(turnAddress, [
    modes,
    0,
    ...start,
    turn.forbid,
    turn.max_add,
    turn.over_passes,
    0,
    ...banks,
    ...places,
  ]);

  const width = target + 1;
  const isWide = modes > MOST_MODES_IN_16_BITS;
  const ends = room.ints(
    Array.from({ length: width }, (_, total) => (total < target ? [0, 0] : banks)).flat(),
  );
  const pay = room.doubles(opponentStates * width, 1);
  const gap = room.doubles(opponentStates * width, 0);
  const stops = room.take(opponentStates * width * (isWide ? 8 : 2));
  const known = [stops, room.doubles(opponentStates, -Infinity), ends];
  const none = scores.map(() => 0);
  const above = scores.map((_, n) => Math.min(n + 1, states - 1));
  const [counts, caps] = [seat.counts, seat.caps].map((list) => scores.map((score) => list[score]));
  const last = Array<number>(opponentStates).fill(0);
  const lists = [scores, scores, scores, scores, none, counts, caps, last, above].map((list) =>
    room.ints(list),
  );
  const takes = room.ints(none);
  const rows = largest(caps) + turn.max_add + 1;
  const whole = room.take(200);
  room.write(whole, [opponentStates, width, rows, 1, width, Number(isWide), ...known]);
  room.writeDoubles(whole + 40, [race.certain]);
  // Nothing is wiped or taken over.
  room.write(whole + 48, [pay, gap, ...lists, 0, Number(seat.passes), 0, 0, 0, 0, 0, takes, 0]);
  room.writeDoubles(whole + 136, [...race.settled, ...race.widen]);
  if (WITH_HANDS && race.seats.every(({ maxima }) => maxima))
    room.write(whole + 192, [room.doubles(opponentStates * width, FIRST_SLOPE)]);
  return { turn: turnAddress, race: whole, pay, gap, width };
}

function solve(race: Race, progress: (done: number) => void): Solved | number {
  const { seats, kernel } = race;
  const calls = new WebAssembly.Instance(new WebAssembly.Module(kernel)).exports as unknown as Exports;
  const room = new KernelMemory(calls.memory);
  const opponentOf = (seat: number) => seats[seats.length - 1 - seat];
  const sides = seats.map((seat, n) => writeSide(room, race, seat, opponentOf(n).scores.length));
  const both = room.ints([sides[0], sides[sides.length - 1]].flatMap((side) => [side.turn, side.race]));
  const work = units(seats[0].scores, seats.length > 1 ? seats[1].scores : null);
  const [pairs, starts, ready] = [room.ints(work.pairs), room.longs(work.starts), room.longs(work.ready)];
  const shared = room.longs([0, 0, -1, SOLVED]);
  const scratch = room.take(8 * calls.scratch(both));
  for (let part = 1; part <= PARTS; part++) {
    const last = Math.floor((work.ready.length * part) / PARTS);
    calls.solve(both, pairs, starts, ready, last, shared, scratch);
    const [failed, , how] = new Int32Array(calls.memory.buffer, shared + 16, 3);
    if (failed >= 0) return how;
    progress(part / PARTS);
  }
  let widest = 0;
  // The chances of a seat that is to move are in the tables of the other seat, which has just moved.
  const wins = seats.map((seat, n) => {
    const { pay, gap, width } = sides[seats.length - 1 - n];
    const theirs = opponentOf(n).scores;
    const [pays, gaps] = [pay, gap].map(
      (at) => new Float64Array(calls.memory.buffer, at, seat.scores.length * width),
    );
    const win = new Float64Array(seat.scores.length * theirs.length);
    seat.scores.forEach((_, i) =>
      theirs.forEach((score, j) => {
        const cell = i * width + score;
        win[i * theirs.length + j] = 1 - pays[cell] + gaps[cell] / 2;
        widest = Math.max(widest, gaps[cell]);
      }),
    );
    return win;
  });
  return { wins, gap: widest };
}

/** What the program is in a worker. */
export function serve(): void {
  const post = (told: Told) => (postMessage as (told: Told) => void)(told);
  onmessage = ({ data }: MessageEvent<Race>) => {
    const outcome = solve(data, (done) => post({ done }));
    post(typeof outcome === 'number' ? { failed: outcome } : { solved: outcome });
  };
}

function pageProgram(): string {
  return document.querySelector('body > script:not([type])')!.textContent!;
}

/** Let the program of this very page work in a worker: the page stays awake, and no second file is needed. */
function work(race: Race, progress: (done: number) => void, signal: AbortSignal): Promise<Solved> {
  if (signal.aborted) throw new Refused('cancelled');
  const program = pageProgram();
  const address = URL.createObjectURL(new Blob([program], { type: 'text/javascript' }));
  const worker = new Worker(address);
  return new Promise<Solved>((done, refused) => {
    signal.addEventListener('abort', () => refused(new Refused('cancelled')));
    worker.onerror = () => refused(new Refused('noWorker'));
    worker.onmessage = ({ data }: MessageEvent<Told>) => {
      if ('done' in data) progress(data.done);
      else if ('solved' in data) done(data.solved);
      else refused(new Refused('noBound'));
    };
    worker.postMessage(race);
  }).finally(() => {
    worker.terminate();
    URL.revokeObjectURL(address);
  });
}

/** A race to solve. */
export interface RaceTask {
  /** One seat if both players are alike. */
  seats: RaceSeat[];
  /** Bound of the rounding error of one turn. */
  rounding: number;
  /** From the engine: the change at which a zero turn counts as settled, and the loss of a certain stop. */
  settled: number;
  certain: number;
}

/** The compiled kernel, with vector instructions where the page and the browser have them. */
function kernelOf(arrays: Arrays): Uint8Array<ArrayBuffer> {
  const vectors = 'wasm.race-simd';
  const hasVectors = arrays.has(vectors) && WebAssembly.validate(arrays.bytes(vectors));
  return arrays.bytes(hasVectors ? vectors : 'wasm.race').slice();
}

/** Solve a race in a worker, unless the browser has stored its solution. */
export async function solveRace(
  { seats, rounding, settled, certain }: RaceTask,
  arrays: Arrays,
  progress: (done: number) => void,
  signal: AbortSignal,
): Promise<SolvedRace> {
  const slack = rounding + certain + SUM_ROUNDING;
  const tolerances: [number, number] = [Math.max(settled, rounding / 8), Math.max(settled, rounding)];
  const widen: [number, number] = [slack + tolerances[0], slack + tolerances[1]];
  const race: Race = { kernel: kernelOf(arrays), seats, settled: tolerances, widen, certain };
  return storedOrSolved({ program: pageProgram(), race }, async () => {
    const { wins, gap } = await work(race, progress, signal);
    const bound = gap / 2 + widen[1];
    if (!(bound <= MOST_BOUND)) throw new Refused('noBound');
    return { wins, bound };
  });
}

/** Bound the rounding error of one turn of any seat. */
export function raceRounding(seats: RaceSeat[]): number {
  return largest(seats.map(({ turn, caps }) => roundingBound(turn, largest(caps))));
}
