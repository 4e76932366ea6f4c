/** A race solved by the engine's own kernel (csrc/race_kernel.h), away from the page: what a worker does. */
import { Room, LANES } from './kernel';
import { largest } from './numbers';

/** A turn in which points only grow until it ends: the order of the kernel's own description (csrc/monotone_turn.h). */
export interface Climb {
  numbers: number[]; // modes, start, forbid, max_add, over_passes, banks
  class_start: Int32Array;
  weight: Float64Array;
  choice_start: Int32Array;
  leads: Int32Array;
  bust: Float64Array;
  win: Float64Array;
  wipe: Float64Array;
  total: Float64Array;
  edge_start: Int32Array;
  edge_add: Int32Array;
  edge_modes: Uint16Array;
}

/** What is asked: all in units of points, as solver/solvers/push/race_solver.py lays it out for the kernel. */
export interface Race {
  kernel: Uint8Array<ArrayBuffer>;
  turn: Climb;
  target: number;
  scores: number[];
  counts: number[];
  caps: number[];
  passes: boolean; // who may not bank may end the turn
  settled: [number, number];
  widen: [number, number];
  certain: number;
}

export interface Solved {
  win: Float64Array;
  gap: number;
}

export type Told = { done: number } | { solved: Solved } | { failed: number };

const PARTS = 50;
const SOLVED = 0;

interface Exports {
  memory: WebAssembly.Memory;
  scratch(turn: number, race: number): number;
  solve(
    turn: number,
    race: number,
    pairs: number,
    starts: number,
    ready: number,
    last: number,
    shared: number,
    scratch: number,
  ): void;
}

/** All pairs of scores by number, layers of equal total from the highest down, in units of a block of lanes. */
function units(scores: number[]): { pairs: number[]; starts: number[]; ready: number[] } {
  const layers = new Map<number, [number, number][]>();
  scores.forEach((score, n) =>
    scores.slice(0, n + 1).forEach((opponentScore, k) => {
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

export function solve(race: Race, progress: (done: number) => void): Solved | number {
  const { target, scores, turn } = race;
  const calls = new WebAssembly.Instance(new WebAssembly.Module(race.kernel)).exports as unknown as Exports;
  const room = new Room(calls.memory);
  const put = (from: Int32Array | Uint16Array | Float64Array): number => {
    const at = room.take(from.byteLength);
    const bytes = new Uint8Array(from.buffer, from.byteOffset, from.byteLength);
    new Uint8Array(calls.memory.buffer).set(bytes, at);
    return at;
  };
  const ints = (from: number[]) => put(Int32Array.from(from));
  const longs = (from: number[]) => ints(from.flatMap((one) => [one, one < 0 ? -1 : 0]));
  const doubles = (count: number, value: number) => put(new Float64Array(count).fill(value));

  const { numbers, edge_modes, ...arrays } = turn;
  const [modes, start, forbid, most, passes, banks] = numbers;
  const places = [...Object.values(arrays).map(put), longs([...edge_modes])];
  const turnAddress = room.take(88);
  const width = target + 1;
  const ends = longs(Array.from({ length: width }, (_, total) => (total < target ? 0 : banks)));
  const pay = doubles(scores.length * width, 1);
  const gap = doubles(scores.length * width, 0);
  const known = [put(new Uint16Array(scores.length * width)), doubles(scores.length, -Infinity), ends];
  const none = scores.map(() => 0);
  const above = scores.map((_, n) => Math.min(n + 1, scores.length - 1));
  const [counts, caps] = [race.counts, race.caps].map((list) => scores.map((score) => list[score]));
  const lists = [scores, scores, scores, scores, none, counts, caps, none, above].map(ints);
  const takes = ints(none);
  const whole = room.take(192);
  const view = new DataView(calls.memory.buffer);
  const write = (at: number, some: number[]) =>
    some.forEach((one, n) => view.setInt32(at + 4 * n, one, true));
  write(turnAddress, [modes, 0, 1 << start, 0, forbid, most, passes, 0, banks, 0, ...places]);
  write(whole, [scores.length, width, largest(caps) + most + 1, 1, width, 0, ...known]);
  view.setFloat64(whole + 40, race.certain, true);
  // Nothing is wiped or taken over.
  write(whole + 48, [pay, gap, ...lists, 0, Number(race.passes), 0, 0, 0, 0, 0, takes, 0]);
  [...race.settled, ...race.widen].forEach((one, n) => view.setFloat64(whole + 128 + 8 * n, one, true));

  const work = units(scores);
  const [pairs, starts, ready] = [ints(work.pairs), longs(work.starts), longs(work.ready)];
  const shared = longs([0, 0, -1, SOLVED]);
  const scratch = room.take(8 * calls.scratch(turnAddress, whole));
  for (let part = 1; part <= PARTS; part++) {
    const last = Math.floor((work.ready.length * part) / PARTS);
    calls.solve(turnAddress, whole, pairs, starts, ready, last, shared, scratch);
    const [failed, , how] = new Int32Array(calls.memory.buffer, shared + 16, 3);
    if (failed >= 0) return how;
    progress(part / PARTS);
  }
  const [pays, gaps] = [pay, gap].map(
    (at) => new Float64Array(calls.memory.buffer, at, scores.length * width),
  );
  const win = new Float64Array(scores.length ** 2);
  let widest = 0;
  scores.forEach((_, i) =>
    scores.forEach((theirs, j) => {
      const cell = i * width + theirs;
      win[i * scores.length + j] = 1 - pays[cell] + gaps[cell] / 2;
      widest = Math.max(widest, gaps[cell]);
    }),
  );
  return { win, gap: widest };
}

/** What the program is in a worker. */
export function serve(): void {
  const post = (told: Told) => (postMessage as (told: Told) => void)(told);
  onmessage = ({ data }: MessageEvent<Race>) => {
    const outcome = solve(data, (done) => post({ done }));
    post(typeof outcome === 'number' ? { failed: outcome } : { solved: outcome });
  };
}
