/** A race solved by the engine's own kernel (csrc/race_kernel.h), away from the page: what a worker does. */
import { Room, LANES } from './kernel';

/** A turn in which points only grow until it ends: the order of the kernel's own description (csrc/climb.h). */
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

/** What is asked: all in units of points, as solver/matches/push/race.py lays it out for the kernel. */
export interface Race {
  kernel: Uint8Array<ArrayBuffer>;
  turn: Climb;
  target: number;
  scores: number[];
  counts: number[];
  caps: number[];
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

/** All pairs of scores, layers of equal total from the highest down, in units of a block of lanes. */
function units(scores: number[]): { pairs: number[]; starts: number[]; ready: number[] } {
  const layers = new Map<number, [number, number][]>();
  scores.forEach((mine, n) =>
    scores.slice(0, n + 1).forEach((theirs) => {
      const layer = layers.get(mine + theirs);
      if (layer) layer.push([mine, theirs]);
      else layers.set(mine + theirs, [[mine, theirs]]);
    }),
  );
  const pairs: number[] = [];
  const starts = [0];
  const ready: number[] = [];
  for (const total of [...layers.keys()].sort((a, b) => b - a)) {
    const layer = layers.get(total)!;
    const before = ready.length;
    for (let first = 0; first < layer.length; first += LANES) {
      layer.slice(first, first + LANES).forEach((pair) => pairs.push(...pair));
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

  const { numbers, ...arrays } = turn;
  const told = ints([...numbers, ...Object.values(arrays).map(put)]);
  const width = target + 1;
  const ends = new Uint16Array(width);
  ends[target] = numbers[5];
  const above = Array.from({ length: target }, (_, n) => n);
  scores.forEach((score, n) => (above[score] = scores[n + 1] ?? score));
  const pay = doubles(target * width, 1);
  const gap = doubles(target * width, 0);
  const stops = put(new Uint16Array(target * width));
  const places = [stops, doubles(target, -Infinity), put(ends)];
  const lists = [race.counts, race.caps, Array<number>(target).fill(0), above].map(ints);
  const whole = room.take(88);
  const wiped = doubles(2 * target, 0);
  const view = new DataView(calls.memory.buffer);
  [width, ...places].forEach((one, n) => view.setInt32(whole + 4 * n, one, true));
  view.setFloat64(whole + 16, race.certain, true);
  [target, pay, gap, ...lists, wiped].forEach((one, n) => view.setInt32(whole + 24 + 4 * n, one, true));
  [...race.settled, ...race.widen].forEach((one, n) => view.setFloat64(whole + 56 + 8 * n, one, true));

  const work = units(scores);
  const [pairs, starts, ready] = [ints(work.pairs), longs(work.starts), longs(work.ready)];
  const shared = longs([0, 0, -1, SOLVED]);
  const scratch = room.take(8 * calls.scratch(told, whole));
  for (let part = 1; part <= PARTS; part++) {
    const last = Math.floor((work.ready.length * part) / PARTS);
    calls.solve(told, whole, pairs, starts, ready, last, shared, scratch);
    const [failed, , how] = new Int32Array(calls.memory.buffer, shared + 16, 3);
    if (failed >= 0) return how;
    progress(part / PARTS);
  }
  const [pays, gaps] = [pay, gap].map((at) => new Float64Array(calls.memory.buffer, at, target * width));
  const win = new Float64Array(scores.length ** 2);
  let widest = 0;
  scores.forEach((mine, i) =>
    scores.forEach((theirs, j) => {
      const cell = mine * width + theirs;
      win[i * scores.length + j] = 1 - pays[cell] + gaps[cell] / 2;
      widest = Math.max(widest, gaps[cell]);
    }),
  );
  return { win, gap: widest };
}

/** What the program is in a worker. */
export function serve(): void {
  const tell = (told: Told) => (postMessage as (told: Told) => void)(told);
  onmessage = ({ data }: MessageEvent<Race>) => {
    const found = solve(data, (done) => tell({ done }));
    tell(typeof found === 'number' ? { failed: found } : { solved: found });
  };
}
