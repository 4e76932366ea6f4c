/** Questions as text: the JSON that the engine writes of rules, and the fingerprint of a question. */
import { Refused } from './problem';

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || !value) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, one]) => [key, sorted(one)]),
  );
}

/** JSON as Python writes it: keys in order, and other signs than ASCII escaped. */
function json(value: unknown, indent = 0): string {
  return JSON.stringify(sorted(value), null, indent).replace(
    /[^ -~\n]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The same JSON on one line, with a space after each comma and colon. */
export function spacedJson(value: unknown): string {
  return json(value, 1)
    .replace(/([[{])\n */g, '$1')
    .replace(/\n *([\]}])/g, '$1')
    .replace(/\n */g, ' ');
}

export async function fingerprint(question: unknown): Promise<string> {
  if (!crypto.subtle) throw new Refused('noSecureContext');
  const text = new TextEncoder().encode(json(question));
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', text));
  return [...digest.subarray(0, 8)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
