/** The data that the browser stores for a page, if it allows storage. */
import type { OwnOdds } from './own_odds';
import type { HandChoice } from './chosen_hands';
import type { Values } from './house';

/** The text of a game file and the undone lines. */
export interface StoredGame {
  text: string;
  undone: string[];
  /** The games of others who share the page, in their order, and the index of this one among them. */
  others?: StoredGame[];
  place?: number;
}

export interface Stored extends StoredGame {
  mode: string;
  language: string;
  knowsRules?: boolean; // whether How to play was closed
  house?: Values; // the house rules of the last visit
  hands?: HandChoice; // the hands chosen at the last visit
  odds?: OwnOdds; // the odds of one's own at the last visit
  beat?: boolean; // whether advice is for ending above the other person with a scorecard
  earlier: StoredGame[]; // replaced games, the newest first
}

const SITE_LANGUAGE = 'keepwise language';

export class Keeper {
  readonly isAvailable: boolean;
  private readonly key: string;

  constructor(name: string) {
    this.key = `keepwise ${name}`;
    this.isAvailable = this.attempt(() => {
      localStorage.setItem('keepwise', 'kept');
      return localStorage.getItem('keepwise') === 'kept';
    }, false);
  }

  private attempt<T>(action: () => T, fallback: T): T {
    try {
      return action();
    } catch {
      return fallback;
    }
  }

  /** Return the stored record. An unknown record is returned as the text of a game, so that it can be saved. */
  read(): Partial<Stored> {
    const raw = this.attempt(() => localStorage.getItem(this.key), null);
    if (raw === null) return {};
    const record = this.attempt(() => JSON.parse(raw) as Partial<Stored> | null, null);
    return isStored(record) ? record : { text: raw };
  }

  /** The language chosen on any page of this site, its front page included; null if none was chosen. */
  get siteLanguage(): string | null {
    return this.attempt(() => localStorage.getItem(SITE_LANGUAGE), null);
  }

  set siteLanguage(language: string) {
    this.attempt(() => localStorage.setItem(SITE_LANGUAGE, language), undefined);
  }

  /** Store a record in place of the previous one; return whether there was room. */
  write(stored: Partial<Stored>): boolean {
    return this.attempt(() => {
      localStorage.setItem(this.key, JSON.stringify(stored));
      return true;
    }, false);
  }
}

function isStored(record: Partial<Stored> | null): record is Partial<Stored> {
  if (typeof record !== 'object' || !record) return false;
  const { text = '', undone = [], others, place, earlier = [], language = '', house = {}, hands } = record;
  return (
    isGame({ text, undone, others, place }) &&
    Array.isArray(earlier) &&
    earlier.every(isGame) &&
    typeof language === 'string' &&
    typeof house === 'object' &&
    house !== null &&
    (hands === undefined || isChoice(hands))
  );
}

function isChoice(choice: unknown): choice is HandChoice {
  const { hands, target, objective, stops = {} } = (choice ?? {}) as Partial<HandChoice>;
  return (
    Array.isArray(hands) &&
    hands.every(
      (hand) =>
        Array.isArray(hand) &&
        hand.every(
          (dice) => Array.isArray(dice) && typeof dice[0] === 'string' && typeof dice[1] === 'number',
        ),
    ) &&
    typeof target === 'number' &&
    typeof objective === 'string' &&
    typeof stops === 'object' &&
    stops !== null
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
