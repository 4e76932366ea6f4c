/** Decompression of the page's data (RFC 1950, 1951), for browsers that have no decompression of their own. */

const LENGTHS = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195,
  227, 258,
];
const EXTRA_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

const FAST_BITS = 10; // bits of a code that one table look-up decodes

/** Symbols by the next FAST_BITS bits (symbol * 16 + length; 0: a longer code), and all of them in the order of their codes. */
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
  const fast = new Uint16Array(1 << FAST_BITS);
  lengths.forEach((length, n) => {
    if (!length) return;
    symbol[next[length]++] = n;
    const code = first[length]++;
    if (length > FAST_BITS) return;
    let reversed = 0; // the stream has the first bit of a code first
    for (let bit = 0; bit < length; bit++) reversed |= ((code >> bit) & 1) << (length - 1 - bit);
    for (let index = reversed; index < fast.length; index += 1 << length) fast[index] = n * 16 + length;
  });
  return { fast, count, symbol };
}

export function inflate(packed: Uint8Array): Uint8Array<ArrayBuffer> {
  let position = 2; // after the two bytes of the header
  let buffer = 0;
  let bufferedBits = 0;
  let output = new Uint8Array(4 * packed.length + 1024);
  let size = 0;

  function bits(count: number): number {
    while (bufferedBits < count) {
      buffer |= packed[position++] << bufferedBits;
      bufferedBits += 8;
    }
    const value = buffer & ((1 << count) - 1);
    buffer >>>= count;
    bufferedBits -= count;
    return value;
  }

  function decode({ fast, count, symbol }: Codes): number {
    while (bufferedBits < FAST_BITS && position < packed.length) {
      buffer |= packed[position++] << bufferedBits;
      bufferedBits += 8;
    }
    const entry = fast[buffer & ((1 << FAST_BITS) - 1)];
    if (entry && (entry & 15) <= bufferedBits) {
      buffer >>>= entry & 15;
      bufferedBits -= entry & 15;
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

  function reserve(count: number): void {
    if (size + count <= output.length) return;
    const larger = new Uint8Array(2 * (size + count));
    larger.set(output);
    output = larger;
  }

  function block(literals: Codes, distances: Codes): void {
    for (;;) {
      const symbol = decode(literals);
      if (symbol === 256) return;
      reserve(258);
      if (symbol < 256) {
        output[size++] = symbol;
        continue;
      }
      const length = LENGTHS[symbol - 257] + bits(EXTRA_BITS[symbol - 257]);
      const distanceSymbol = decode(distances);
      const extra = distanceSymbol < 2 ? 0 : (distanceSymbol >> 1) - 1;
      const back =
        (distanceSymbol < 2 ? distanceSymbol : (2 + (distanceSymbol & 1)) << extra) + 1 + bits(extra);
      for (let n = 0; n < length; n++, size++) output[size] = output[size - back];
    }
  }

  function readCodes(): [Codes, Codes] {
    const [literals, distances, lengths] = [bits(5) + 257, bits(5) + 1, bits(4) + 4];
    const codeLengths = Array<number>(19).fill(0);
    for (let n = 0; n < lengths; n++) codeLengths[ORDER[n]] = bits(3);
    const table = codes(codeLengths);
    const symbolLengths: number[] = [];
    while (symbolLengths.length < literals + distances) {
      const symbol = decode(table);
      if (symbol < 16) symbolLengths.push(symbol);
      else {
        const last = symbol === 16 ? symbolLengths[symbolLengths.length - 1] : 0;
        const times = symbol === 16 ? 3 + bits(2) : symbol === 17 ? 3 + bits(3) : 11 + bits(7);
        for (let n = 0; n < times; n++) symbolLengths.push(last);
      }
    }
    return [codes(symbolLengths.slice(0, literals)), codes(symbolLengths.slice(literals))];
  }

  for (let last = 0; !last;) {
    last = bits(1);
    const kind = bits(2);
    if (kind === 0) {
      position -= bufferedBits >> 3;
      buffer = bufferedBits = 0;
      const length = packed[position] | (packed[position + 1] << 8);
      position += 4;
      reserve(length);
      output.set(packed.subarray(position, position + length), size);
      position += length;
      size += length;
    } else if (kind === 1) {
      const lengths = Array.from({ length: 288 }, (_, n) => (n < 144 ? 8 : n < 256 ? 9 : n < 280 ? 7 : 8));
      block(codes(lengths), codes(Array<number>(30).fill(5)));
    } else {
      const [literals, distances] = readCodes();
      block(literals, distances);
    }
  }
  return output.slice(0, size);
}
