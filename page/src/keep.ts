/** What the browser stores for a page, if it stores anything. */
import type { Values } from './house';

/** The file of a game and the lines that were undone. */
export interface StoredGame {
  text: string;
  undone: string[];
  /** Games of others who share the page, in their order, and the place of this one among them. */
  others?: StoredGame[];
  place?: number;
}

export interface Stored extends StoredGame {
  mode: string;
  language: string;
  house?: Values; // rules that the page was solved for when it was closed
  earlier: StoredGame[]; // games that another one replaced, the newest first
}

const SITE_LANGUAGE = 'keepwise language';

export class Keeper {
  readonly works: boolean;
  private readonly key: string;

  constructor(name: string) {
    this.key = `keepwise ${name}`;
    this.works = this.tries(() => {
      localStorage.setItem('keepwise', 'kept');
      return localStorage.getItem('keepwise') === 'kept';
    }, false);
  }

  private tries<T>(action: () => T, fallback: T): T {
    try {
      return action();
    } catch {
      return fallback;
    }
  }

  /** Return what is stored. A record that is not ours is returned as the text of a game, so that it can be saved. */
  read(): Partial<Stored> {
    const raw = this.tries(() => localStorage.getItem(this.key), null);
    if (raw === null) return {};
    const record = this.tries(() => JSON.parse(raw) as Partial<Stored> | null, null);
    return isStored(record) ? record : { text: raw };
  }

  /** The language chosen on any page of this site, its front page included; null if none was chosen. */
  get siteLanguage(): string | null {
    return this.tries(() => localStorage.getItem(SITE_LANGUAGE), null);
  }

  set siteLanguage(language: string) {
    this.tries(() => localStorage.setItem(SITE_LANGUAGE, language), undefined);
  }

  /** Store a record in place of the one before; return whether there was room for it. */
  write(stored: Partial<Stored>): boolean {
    return this.tries(() => {
      localStorage.setItem(this.key, JSON.stringify(stored));
      return true;
    }, false);
  }
}

function isStored(record: Partial<Stored> | null): record is Partial<Stored> {
  if (typeof record !== 'object' || !record) return false;
  const { text = '', undone = [], others, place, earlier = [], language = '', house = {} } = record;
  return (
    isGame({ text, undone, others, place }) &&
    Array.isArray(earlier) &&
    earlier.every(isGame) &&
    typeof language === 'string' &&
    typeof house === 'object' &&
    house !== null
  );
}

function isGame(game: unknown): game is StoredGame {
  const { text, undone, others = [], place = 0 } = (game ?? {}) as Partial<StoredGame>;
  return (
    typeof text === 'string' &&
    Array.isArray(undone) &&
    undone.every((line) => typeof line === 'string') &&
    Array.isArray(others) &&
    others.every(isGame) &&
    typeof place === 'number'
  );
}
