/** The data that `keepwise page` writes into a page: plain data, and arrays in one packed buffer. */
import type { EncodedChoice } from './choices';
import type { Chooser } from './chosen_hands';
import type { Dice } from './hands';
import type { House } from './house';
import { inflate } from './inflate';
import type { RefusalKey } from './refusals';

export type Form = [string, string][];
/** A row: act, kept dice, points added, dice left, then, the kind and number of what follows, condition, points if different. */
export type ChoiceRow = [number, string, number, number, number, number, number, number, number?];

export interface ThrowRow {
  form: number;
  falls: [number, number][];
  weights: number[];
  dice: number;
  before: number;
  mode: number;
  way: number;
  act: EncodedChoice;
  offset: number;
  held?: string;
  forced?: boolean;
  note?: string;
  mishap?: number | null;
  held_only?: boolean;
  told?: string[];
  /** If dice are added up: the decisions after an outcome that scores, and after one that does not; -1 if there is none. */
  examples?: [scoring: number, bust: number];
}

export interface Graph {
  words: string[];
  acts: EncodedChoice[];
  choices: ChoiceRow[];
  lists: number[][];
  forms: Form[];
  decisions: [number, number, number, string][];
  throws: ThrowRow[];
  faces: string[];
  /** If rolls are not listed, because dice are added up: by face, the points of a die, and how many sides show it. */
  sums?: { points: (number | null)[]; weights: number[] };
}

export interface Sheet {
  title: string;
  facts: string[];
  lines: string[];
  tables: { heading: string; columns: string[]; rows: string[][]; note: string }[];
  cost: string[];
}

/**
 * Type, place and shape of an array. Type D: doubles that are packed as differences. Type r: chances to win in units of
 * 2 ** -bits, packed as differences that were taken several times along each axis.
 */
export type PackedArray =
  | [type: 'd' | 'D' | 'i' | 'b', offset: number, shape: number[]]
  | [type: 'r', offset: number, shape: number[], bits: number, orders: number[]];

export interface PageData {
  format: string;
  engine: string;
  game: string;
  title: string;
  objective: string;
  players: number;
  parameters: Record<string, number>;
  /** The options: key, value, default and reason. */
  rules: [string, unknown, unknown, string][];
  /** How the game is played: each line in English, and in German and French if it is translated. */
  how: string[][];
  head: string[];
  name: string;
  fingerprint: string;
  error_bound: number;
  /** By how much the chances to win in the arrays are rounded; the error bound includes it. */
  rounding: number;
  regret: number | null;
  /** The address of the page for three players; "" if none is known, and null if there can be none. */
  page_for_three: string | null;
  fewer: boolean;
  mishap: [string, string];
  fields: [string, string, string, boolean, string[]][];
  family: string;
  channels: 'seats' | 'mover';
  graph: Graph;
  /** If the page builds the turns of hands itself, which then have no graph here. */
  dice?: Dice;
  turn?: Record<string, number>;
  /** By seat, if players have different rules: the turn, and the dice and rules in words. */
  turns?: Record<string, number>[];
  seats?: string[];
  house?: House | null;
  /** Why the page has no house rules: the key of a refusal. */
  no_house?: RefusalKey | null;
  /** What the page needs to solve other hands; null if it cannot. */
  chooser?: Chooser | null;
  /** Whether a card can be played to end above an opponent who plays for points. */
  beat?: boolean;
  match: Record<string, never>;
  sheet: Sheet | null;
  arrays: Record<string, PackedArray>;
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** Decompress bytes with the browser if it can, else with `inflate`. */
async function decompress(packed: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  if (typeof DecompressionStream !== 'function') return inflate(packed);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Restore repeated stretches, which are stored once: steps of new bytes and of a copy, then all new bytes. */
export function restore(packed: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const count = new DataView(packed.buffer, packed.byteOffset).getUint32(0, true);
  const steps = new Uint32Array(packed.slice(4, 4 + 12 * count).buffer);
  let size = 0;
  for (let step = 0; step < steps.length; step += 3) size += steps[step] + steps[step + 2];
  const bytes = new Uint8Array(size);
  let [at, next] = [0, 4 + 12 * count];
  for (let step = 0; step < steps.length; step += 3) {
    const [added, source, copied] = [steps[step], steps[step + 1], steps[step + 2]];
    bytes.set(packed.subarray(next, next + added), at);
    next += added;
    at += added;
    if (source + copied <= at) bytes.copyWithin(at, source, source + copied);
    // This copy runs into itself.
    else for (let n = 0; n < copied; n++) bytes[at + n] = bytes[source + n];
    at += copied;
  }
  return bytes;
}

/** Unpack the data of a page: four bytes with the length of the JSON, the JSON, then the arrays. */
export async function unpack(text: string): Promise<{ data: PageData; arrays: Arrays }> {
  const bytes = restore(await decompress(bytesOf(text)));
  const length = new DataView(bytes.buffer).getUint32(0, true);
  const data = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length))) as PageData;
  const begin = (4 + length + 7) & ~7;
  const rounded = new Map<string, Float64Array>();
  for (const [name, [kind, offset, shape, bits, orders]] of Object.entries(data.arrays)) {
    if (kind === 'r') rounded.set(name, restoreChances(bytes.subarray(begin + offset), shape, bits, orders));
    if (kind !== 'd' && kind !== 'D') continue;
    const packed = bytes.subarray(begin + offset, begin + offset + 8 * count(shape));
    joinDoubles(packed);
    if (kind === 'D') addDifferences(new Uint32Array(packed.buffer, packed.byteOffset, packed.length / 4));
  }
  return { data, arrays: new Arrays(data, bytes.buffer, begin, rounded) };
}

/** The number of entries of an array. */
function count(shape: number[]): number {
  return shape.reduce((a, b) => a * b, 1);
}

/** Restore rounded chances from differences, of which the packed form has the lowest bytes first, with the signs. */
function restoreChances(packed: Uint8Array, shape: number[], bits: number, orders: number[]): Float64Array {
  const size = count(shape);
  const whole = new Int32Array(size);
  for (let n = 0; n < size; n++) {
    const unsigned =
      packed[n] | (packed[size + n] << 8) | (packed[2 * size + n] << 16) | (packed[3 * size + n] << 24);
    whole[n] = (unsigned >>> 1) ^ -(unsigned & 1);
  }
  let block = size;
  shape.forEach((length, axis) => {
    const stride = block / length;
    for (let order = 0; order < orders[axis]; order++)
      for (let first = 0; first < size; first += block)
        for (let n = first + stride; n < first + block; n++) whole[n] += whole[n - stride];
    block = stride;
  });
  return Float64Array.from(whole, (units) => units / 2 ** bits);
}

/** Restore the byte order of doubles: the packed form has the first bytes of all doubles, then the second ones. */
function joinDoubles(bytes: Uint8Array): void {
  const packed = bytes.slice();
  let next = 0;
  for (let place = 0; place < 8; place++)
    for (let at = place; at < bytes.length; at += 8) bytes[at] = packed[next++];
}

/** Restore numbers of 64 bits from their differences modulo 2 ** 64. Each has two halves, the low one first. */
function addDifferences(halves: Uint32Array): void {
  for (let n = 2; n < halves.length; n += 2) {
    const low = halves[n] + halves[n - 2];
    halves[n] = low;
    halves[n + 1] += halves[n - 1] + (low > 0xffffffff ? 1 : 0);
  }
}

/** The arrays of a page, by name. */
export class Arrays {
  constructor(
    private readonly data: PageData,
    private readonly buffer: ArrayBuffer,
    private readonly begin: number,
    private readonly changed: ReadonlyMap<string, Float64Array | Int32Array> = new Map(),
  ) {}

  /** Return the same arrays with some of them replaced. */
  but(changed: ReadonlyMap<string, Float64Array | Int32Array>): Arrays {
    return new Arrays(this.data, this.buffer, this.begin, new Map([...this.changed, ...changed]));
  }

  has(name: string): boolean {
    return this.changed.has(name) || name in this.data.arrays;
  }

  private at(name: string): [number, number] {
    const [, offset, shape] = this.data.arrays[name];
    return [this.begin + offset, count(shape)];
  }

  doubles(name: string): Float64Array {
    const changed = this.changed.get(name) as Float64Array | undefined;
    if (changed) return changed;
    const [offset, length] = this.at(name);
    return new Float64Array(this.buffer, offset, length);
  }

  ints(name: string): Int32Array {
    const changed = this.changed.get(name) as Int32Array | undefined;
    if (changed) return changed;
    const [offset, length] = this.at(name);
    return new Int32Array(this.buffer, offset, length);
  }

  bytes(name: string): Uint8Array<ArrayBuffer> {
    const [offset, length] = this.at(name);
    return new Uint8Array(this.buffer, offset, length);
  }

  shape(name: string): number[] {
    return this.data.arrays[name][2];
  }
}
