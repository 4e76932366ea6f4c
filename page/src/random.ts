/** Random numbers. */

/** From 0 to below 1, by the browser's own source where it has one. */
export function random(): number {
  if (typeof crypto !== 'object') return Math.random();
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return (high * 2 ** 21 + (low >>> 11)) / 2 ** 53;
}
