/** What `keepwise page` writes into a page: plain data, and arrays packed one after another. */

export type Form = [string, string][];
/** words, dice kept, points added, dice left, then, what follows, its number, when it is there */
export type ChoiceRow = [number, string, number, number, number, number, number, number];

export interface ThrowRow {
  form: number;
  falls: [number, number][];
  weights: number[];
  dice: number;
  before: number;
  mode: number;
  way: number;
  words: string;
  offset: number;
  held?: string;
  over?: string;
  mishap?: number;
}

export interface Graph {
  words: string[];
  choices: ChoiceRow[];
  lists: number[][];
  forms: Form[];
  decisions: [number, number, number, string][];
  throws: ThrowRow[];
  faces: string[];
}

export interface Sheet {
  title: string;
  facts: string[];
  lines: string[];
  tables: { heading: string; columns: string[]; rows: string[][]; note: string }[];
  cost: string[];
}

export interface PageData {
  format: string;
  engine: string;
  game: string;
  title: string;
  objective: string;
  players: number;
  parameters: Record<string, number>;
  rules: [string, unknown, boolean, string][];
  head: string[];
  name: string;
  fingerprint: string;
  error_bound: number;
  regret: number | null;
  fewer: boolean;
  mishap: [string, string];
  fields: [string, string, string, boolean, string[]][];
  family: string;
  graph: Graph;
  turn?: Record<string, number>;
  match: Record<string, never>;
  sheet: Sheet | null;
  arrays: Record<string, ['d' | 'i', number, number[]]>;
  blob: string;
}

export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** The arrays of a page, by name. */
export class Arrays {
  private readonly buffer: ArrayBuffer;

  constructor(private readonly data: PageData) {
    this.buffer = bytesOf(data.blob).buffer;
  }

  has(name: string): boolean {
    return name in this.data.arrays;
  }

  doubles(name: string): Float64Array {
    const [, at, shape] = this.data.arrays[name];
    return new Float64Array(
      this.buffer,
      at,
      shape.reduce((a, b) => a * b, 1),
    );
  }

  ints(name: string): Int32Array {
    const [, at, shape] = this.data.arrays[name];
    return new Int32Array(
      this.buffer,
      at,
      shape.reduce((a, b) => a * b, 1),
    );
  }

  shape(name: string): number[] {
    return this.data.arrays[name][2];
  }
}
