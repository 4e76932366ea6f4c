/** A page's data is packed (RFC 1950, 1951); browsers that unpack by themselves are too new for many phones. */

const LENGTHS = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195,
  227, 258,
];
const MORE = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

const FAST = 10; // bits of a code that are looked up at once

/** Symbols by the next FAST bits (symbol * 16 + length; 0: a longer code), and all of them in the order of their codes. */
interface Codes {
  fast: Uint16Array;
  count: Uint16Array;
  symbol: Uint16Array;
}

function codes(lengths: number[]): Codes {
  const count = new Uint16Array(16);
  for (const length of lengths) count[length]++;
  count[0] = 0;
  const next = new Uint16Array(16);
  const first = new Uint16Array(16);
  for (let length = 1; length < 15; length++) {
    next[length + 1] = next[length] + count[length];
    first[length + 1] = (first[length] + count[length]) << 1;
  }
  const symbol = new Uint16Array(lengths.length);
  const fast = new Uint16Array(1 << FAST);
  lengths.forEach((length, n) => {
    if (!length) return;
    symbol[next[length]++] = n;
    const code = first[length]++;
    if (length > FAST) return;
    let turned = 0; // codes stand in the stream with their first bit first
    for (let bit = 0; bit < length; bit++) turned |= ((code >> bit) & 1) << (length - 1 - bit);
    for (let at = turned; at < fast.length; at += 1 << length) fast[at] = n * 16 + length;
  });
  return { fast, count, symbol };
}

export function inflate(packed: Uint8Array): Uint8Array<ArrayBuffer> {
  let at = 2; // behind the two bytes of the head
  let hold = 0;
  let held = 0;
  let out = new Uint8Array(4 * packed.length + 1024);
  let size = 0;

  function bits(count: number): number {
    while (held < count) {
      hold |= packed[at++] << held;
      held += 8;
    }
    const value = hold & ((1 << count) - 1);
    hold >>>= count;
    held -= count;
    return value;
  }

  function decode({ fast, count, symbol }: Codes): number {
    while (held < FAST && at < packed.length) {
      hold |= packed[at++] << held;
      held += 8;
    }
    const entry = fast[hold & ((1 << FAST) - 1)];
    if (entry && (entry & 15) <= held) {
      hold >>>= entry & 15;
      held -= entry & 15;
      return entry >> 4;
    }
    let code = 0;
    let first = 0;
    let index = 0;
    for (let length = 1; length < 16; length++) {
      code |= bits(1);
      if (code - count[length] < first) return symbol[index + code - first];
      index += count[length];
      first = (first + count[length]) << 1;
      code <<= 1;
    }
    throw new Error('the data of this page is damaged');
  }

  function room(more: number): void {
    if (size + more <= out.length) return;
    const larger = new Uint8Array(2 * (size + more));
    larger.set(out);
    out = larger;
  }

  function block(literals: Codes, distances: Codes): void {
    for (;;) {
      const symbol = decode(literals);
      if (symbol === 256) return;
      room(258);
      if (symbol < 256) {
        out[size++] = symbol;
        continue;
      }
      const length = LENGTHS[symbol - 257] + bits(MORE[symbol - 257]);
      const far = decode(distances);
      const extra = far < 2 ? 0 : (far >> 1) - 1;
      const back = (far < 2 ? far : (2 + (far & 1)) << extra) + 1 + bits(extra);
      for (let n = 0; n < length; n++, size++) out[size] = out[size - back];
    }
  }

  function told(): [Codes, Codes] {
    const [literals, distances, lengths] = [bits(5) + 257, bits(5) + 1, bits(4) + 4];
    const own = Array<number>(19).fill(0);
    for (let n = 0; n < lengths; n++) own[ORDER[n]] = bits(3);
    const table = codes(own);
    const found: number[] = [];
    while (found.length < literals + distances) {
      const symbol = decode(table);
      if (symbol < 16) found.push(symbol);
      else {
        const last = symbol === 16 ? found[found.length - 1] : 0;
        const times = symbol === 16 ? 3 + bits(2) : symbol === 17 ? 3 + bits(3) : 11 + bits(7);
        for (let n = 0; n < times; n++) found.push(last);
      }
    }
    return [codes(found.slice(0, literals)), codes(found.slice(literals))];
  }

  for (let last = 0; !last;) {
    last = bits(1);
    const kind = bits(2);
    if (kind === 0) {
      at -= held >> 3;
      hold = held = 0;
      const length = packed[at] | (packed[at + 1] << 8);
      at += 4;
      room(length);
      out.set(packed.subarray(at, at + length), size);
      at += length;
      size += length;
    } else if (kind === 1) {
      const lengths = Array.from({ length: 288 }, (_, n) => (n < 144 ? 8 : n < 256 ? 9 : n < 280 ? 7 : 8));
      block(codes(lengths), codes(Array<number>(30).fill(5)));
    } else {
      const [literals, distances] = told();
      block(literals, distances);
    }
  }
  return out.slice(0, size);
}
