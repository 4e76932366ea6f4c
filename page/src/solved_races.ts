/** Solved races that the browser stores, so that a page does not solve the same race again. */

/** By seat, the chances to win when it is to move; and their error bound. */
export interface SolvedRace {
  wins: Float64Array[];
  bound: number;
}

interface Entry extends SolvedRace {
  key: string;
  /** The digest of the key, the chances and the bound. */
  digest: string;
  /** When the entry was last used, in milliseconds. */
  time: number;
}

const DATABASE = 'keepwise';
const STORE = 'races';
const MOST_ENTRIES = 10;
const MOST_WAIT = 3000; // milliseconds that a page waits for the storage

/** Return the SHA-256 digest of plain values and typed arrays. */
async function digestOf(values: unknown): Promise<string> {
  const parts: BlobPart[] = [];
  const text = JSON.stringify(values, (_, value: unknown) => {
    if (!ArrayBuffer.isView(value)) return value;
    parts.push(value as BlobPart);
    return value.byteLength;
  });
  const bytes = await new Blob([...parts, text]).arrayBuffer();
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((done, failed) => {
    request.onsuccess = () => done(request.result);
    request.onerror = () => failed(request.error!);
  });
}

/** Do something with the stored entries. */
async function withEntries<T>(action: (entries: IDBObjectStore) => Promise<T>): Promise<T> {
  const opening = indexedDB.open(DATABASE, 1);
  opening.onupgradeneeded = () =>
    opening.result.createObjectStore(STORE, { keyPath: 'key' }).createIndex('time', 'time');
  const database = await resultOf(opening);
  try {
    return await action(database.transaction(STORE, 'readwrite').objectStore(STORE));
  } finally {
    database.close(); // once its transaction is complete
  }
}

/** Return the result of an action; null if it fails or takes too long. */
function attempt<T>(action: () => Promise<T | null>): Promise<T | null> {
  const wait = new Promise<null>((done) => setTimeout(() => done(null), MOST_WAIT));
  return Promise.race([action().catch(() => null), wait]);
}

async function write(key: string, { wins, bound }: SolvedRace): Promise<void> {
  const digest = await digestOf([key, wins, bound]);
  await withEntries(async (entries) => {
    await resultOf(entries.put({ key, wins, bound, digest, time: Date.now() } satisfies Entry));
    const keys = await resultOf(entries.index('time').getAllKeys());
    keys.slice(0, -MOST_ENTRIES).forEach((oldKey) => entries.delete(oldKey));
  });
}

/** Return an entry that is whole; null if there is none. */
async function read(key: string): Promise<SolvedRace | null> {
  const entry = await withEntries((entries) => resultOf(entries.get(key) as IDBRequest<Entry | undefined>));
  if (!entry) return null;
  const { wins, bound, digest } = entry;
  return digest === (await digestOf([key, wins, bound])) ? { wins, bound } : null;
}

/**
 * Return the stored solution of a race, or solve the race and store its solution.
 *
 * Args:
 *   input: all that the solution depends on. The key of an entry is its digest: another program has other keys.
 *   solve: solves the race.
 */
export async function storedOrSolved(input: unknown, solve: () => Promise<SolvedRace>): Promise<SolvedRace> {
  const key = await attempt(() => digestOf(input));
  const stored = key && (await attempt(() => read(key)));
  const solved = stored || (await solve());
  if (key) void write(key, solved).catch(() => undefined); // a browser without storage solves again
  return solved;
}
