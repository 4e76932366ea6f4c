/** Random numbers and rolls. */
import type { Position, Table } from './play';

/** Return a random number from 0 to below 1, from the crypto source of the browser if it has one. */
export function random(): number {
  if (typeof crypto !== 'object') return Math.random();
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return (high * 2 ** 21 + (low >>> 11)) / 2 ** 53;
}

/** Roll the dice of a position at random; return the position after the roll. */
export function randomRoll(table: Table, p: Position): Position {
  const weights = Array.from({ length: table.rollCount(p) }, (_, n) => table.rollAt(p, n).weight);
  let remainder = random() * weights.reduce((a, b) => a + b, 0);
  let n = 0;
  while (n < weights.length - 1 && remainder >= weights[n]) remainder -= weights[n++];
  return table.rollAt(p, n).after;
}
