/** What the browser keeps for a page, where it keeps anything. */
import type { Values } from './house';

export interface Kept {
  text: string;
  undone: string[];
  mode: string;
  language: string;
  house?: Values; // rules that the page was solved for when it was closed
}

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

  private tries<T>(what: () => T, otherwise: T): T {
    try {
      return what();
    } catch {
      return otherwise;
    }
  }

  read(): Partial<Kept> {
    return this.tries(() => {
      const kept: unknown = JSON.parse(localStorage.getItem(this.key) ?? '{}');
      return typeof kept === 'object' && kept ? (kept as Partial<Kept>) : {};
    }, {});
  }

  write(kept: Partial<Kept>): void {
    this.tries(() => localStorage.setItem(this.key, JSON.stringify(kept)), undefined);
  }
}
