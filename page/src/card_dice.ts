/** The sets of dice of a card by number: the sets that may be kept first, then those of all dice. */
import type { Facts } from './card_facts';
import type { Arrays } from './data';

/** All throws of up to all dice, by number. */
export class Lattice {
  readonly counts: Uint8Array;
  readonly firstFull: number;
  readonly nodes: number;
  private readonly numbers = new Map<string, number>();
  private readonly sizes: number[] = [];

  constructor(
    readonly facts: Facts,
    arrays: Arrays,
  ) {
    this.counts = arrays.bytes('counts');
    this.nodes = arrays.shape('counts')[0];
    this.firstFull = arrays.shape('child')[0];
    for (let n = 0; n < this.nodes; n++) {
      const counts = this.countsOf(n);
      this.numbers.set(counts.join(), n);
      this.sizes.push(counts.reduce((a, b) => a + b, 0));
    }
  }

  countsOf(node: number): number[] {
    return [...this.counts.subarray(node * this.facts.faces, (node + 1) * this.facts.faces)];
  }

  nodeOf(counts: number[]): number {
    return this.numbers.get(counts.join()) ?? -1;
  }

  size(node: number): number {
    return this.sizes[node];
  }

  /** The nodes with this number of dice: the first, and the one after the last. */
  nodesOfSize(size: number): [number, number] {
    return [this.sizes.indexOf(size), this.sizes.lastIndexOf(size) + 1];
  }

  diceOf(counts: number[]): string[] {
    return counts.flatMap((count, face) => Array<string>(count).fill(String(face + 1)));
  }
}
