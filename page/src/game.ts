/** A game under way, and the plain text that tells it: the same files as the command line's. */
import type { Choice, Position, Table } from './play';
import { Refused, unseen } from './problem';
import { largest } from './numbers';
import { phrase, type Phrase } from './refusals';

export interface Seat {
  name: string;
  player: string;
}

export interface Step {
  kind: 'throw' | 'choice' | 'turn';
  seat: number;
  position: Position;
  after: Position;
  choice: Choice | null;
  options: number;
  said: string;
}

const HEAD = ['game', 'rule', 'rules', 'objective', 'goal', 'turns', 'seat', 'dice', 'seed', 'start'];
export const LARGEST = 4_000_000; // bytes of a game file, as for the command line
const MOST_LISTED = 6;
const LONGEST_SEAT = 20;

export class Game {
  steps: Step[] = [];
  undone: string[] = [];
  rolled = false;
  private extra: string[] = ['dice: mine'];

  constructor(
    readonly table: Table,
    readonly seats: Seat[],
    readonly start: Position = table.start(),
  ) {
    checkSeats(seats, table.data.players);
    this.force();
  }

  get position(): Position {
    return this.after(this.steps.length);
  }

  private after(count: number): Position {
    return count ? this.steps[count - 1].after : this.start;
  }

  get over(): boolean {
    return this.position.at === 'over';
  }

  get told(): Step[] {
    return this.steps.filter((step) => step.said);
  }

  /** After how many steps this turn began, if nothing of it has been told; -1 where something has. */
  get untold(): number {
    for (let count = this.steps.length; count >= 0; count--) {
      if (this.after(count).begins) return count;
      if (count && this.steps[count - 1].said) return -1;
    }
    return -1;
  }

  /** Read a throw, a choice or a whole turn as written. */
  tell(text: string): void {
    const { table } = this;
    if (this.over) throw new Refused('gameOver');
    const words = text.trim();
    checkLine(words);
    const begun = this.untold;
    if (/^turn /i.test(words) && begun >= 0) {
      const here = this.after(begun);
      const after = table.begin(table.problem.brings(here.b, words.slice(5)));
      this.steps.length = begun;
      this.add('turn', after, null, 0, table.problem.brought(words.slice(5)));
    } else if (this.position.at === 'throw') {
      this.fell(table.readFall(this.position, words));
    } else {
      const choices = table.choices(this.position);
      this.choose(readChoice(table, choices, words), choices.length);
    }
  }

  fell(after: Position): void {
    this.add('throw', after, null, 0, this.table.spelled(after));
  }

  choose(choice: Choice, options: number): void {
    this.add('choice', choice.after, choice, options, choice.action);
  }

  /** What the player does now, told anew: nothing that was taken back comes again. */
  act(what: () => void): void {
    what();
    this.undone = [];
  }

  private add(
    kind: Step['kind'],
    after: Position,
    choice: Choice | null,
    options: number,
    said: string,
  ): void {
    const position = this.position;
    this.steps.push({ kind, seat: this.table.mover(position), position, after, choice, options, said });
    this.force();
  }

  /** What leaves nothing to decide happens by itself. */
  private force(): void {
    while (this.position.at === 'choose') {
      const position = this.position;
      const choices = this.table.choices(position);
      if (choices.length > 1) return;
      const [choice] = choices;
      const seat = this.table.mover(position);
      this.steps.push({ kind: 'choice', seat, position, after: choice.after, choice, options: 1, said: '' });
    }
  }

  /** Whether somebody has entered anything, even if it was undone. */
  get begun(): boolean {
    return this.undone.length > 0 || this.steps.some((step) => step.said);
  }

  /** Undo the last events that people entered; return how many there were. */
  undo(count = 1): number {
    let length = this.steps.length;
    let undone = 0;
    for (let n = length - 1; n >= 0 && undone < count; n--) {
      const { said } = this.steps[n];
      if (!said) continue;
      this.undone.push(said);
      length = n;
      undone++;
    }
    this.steps.length = length;
    this.force();
    return undone;
  }

  redo(): void {
    const said = this.undone.pop();
    if (said !== undefined) this.tell(said);
  }

  lines(): string[] {
    return this.told.map((step) => `${this.seats[step.seat].name}: ${step.said}`);
  }

  text(): string {
    const { data } = this.table;
    const parameters = Object.entries(data.parameters).filter(([name]) => HEAD.includes(name));
    const head = [
      ...data.head,
      `objective: ${data.objective}`,
      ...parameters.map(([name, number]) => `${name}: ${number}`),
      ...this.seats.map((seat) => `seat: ${seat.name} = ${seat.player}`),
      ...this.extra,
      ...(this.table.same(this.start, this.table.start()) ? [] : [`start: ${this.table.id(this.start)}`]),
    ];
    return `${[...head, '', ...this.lines()].join('\n')}\n`;
  }

  static parse(table: Table, text: string, name: string): Game {
    if (text.length > LARGEST) throw new Refused('fileTooLarge', name);
    const at = (line: number, what: () => void) => {
      try {
        what();
      } catch (error) {
        if (error instanceof Refused) throw new Refused('inLine', name, line, error);
        throw error;
      }
    };
    const head: [number, string, string][] = [];
    const rest: [number, string][] = [];
    text
      .replace(/^\uFEFF/, '')
      .split(/\r\n|\r|\n/)
      .forEach((raw, n) => {
        const line = raw.trim();
        if (!line || line.startsWith('#')) return;
        at(n + 1, () => checkLine(line));
        const colon = line.indexOf(':');
        const key = colon < 0 ? '' : line.slice(0, colon).trim().toLowerCase();
        if (!rest.length && HEAD.includes(key)) head.push([n + 1, key, line.slice(colon + 1).trim()]);
        else rest.push([n + 1, line]);
      });
    if (!head.some(([, key]) => key === 'game'))
      throw new Refused('inLine', name, rest.length ? rest[0][0] : 1, phrase('noGameFile'));
    checkHead(table, head, at);
    const seats = head
      .filter(([, key]) => key === 'seat')
      .map(([, , value]) => {
        const [who, player] = [value.split('=')[0].trim(), value.split('=').slice(1).join('=').trim()];
        return { name: who, player: player || 'person' };
      });
    let game!: Game;
    const begins = head.find(([, key]) => key === 'start');
    at(begins ? begins[0] : head[head.length - 1][0], () => {
      game = new Game(table, seats, begins ? table.position(begins[2]) : table.start());
    });
    const extra = head
      .filter(([, key]) => key === 'dice' || key === 'seed')
      .map(([, key, value]) => `${key}: ${value}`);
    if (extra.length) game.extra = extra;
    for (const [line, words] of rest) at(line, () => game.read(words));
    return game;
  }

  private read(line: string): void {
    const back = /^undo(?:\s+(\d{1,6}))?$/i.exec(line);
    if (back) {
      const count = Number(back[1] ?? 1);
      const undone = this.undo(count);
      if (count < 1 || undone < count) throw new Refused('nothingToUndo', undone);
      this.undone = [];
      return;
    }
    if (this.over) throw new Refused('noMoreLines');
    const colon = line.indexOf(':');
    const who = line.slice(0, colon).trim().toLowerCase();
    const mover = this.seats[this.table.mover(this.position)];
    if (colon < 0 || !this.seats.some((seat) => seat.name.toLowerCase() === who))
      throw new Refused('noSeatInLine', mover.name);
    if (who !== mover.name.toLowerCase())
      throw new Refused('otherTurn', mover.name, line.slice(0, colon).trim());
    this.tell(line.slice(colon + 1));
  }
}

/** Refuse a file of another game, or of other rules than the page's. */
function checkHead(
  table: Table,
  head: [number, string, string][],
  at: (line: number, what: () => void) => void,
): void {
  const { data } = table;
  const seen = new Set<string>();
  const rules = new Map(
    data.rules.map(([key, value, usual]) => [key, { value: String(value).toLowerCase(), usual }]),
  );
  const told = new Set<string>();
  for (const [line, key, value] of head) {
    at(line, () => {
      if (key !== 'rule' && key !== 'seat' && seen.has(key)) throw new Refused('toldTwice', key);
      seen.add(key);
      const differs = (what: string) => new Refused('otherGame', what);
      if (key === 'game' && value !== data.game) throw differs(data.game);
      if (key === 'objective' && value !== data.objective)
        throw new Refused('otherObjective', data.objective);
      if ((key === 'goal' || key === 'turns') && Number(value) !== data.parameters[key])
        throw new Refused('otherParameter', key);
      if (key === 'rule') {
        const [name, ...words] = value.split('=');
        const rule = rules.get(name.trim());
        const given = words
          .join('=')
          .trim()
          .toLowerCase()
          .replace(/^(yes|on)$/, 'true')
          .replace(/^(no|off)$/, 'false');
        if (!rule || rule.value !== given)
          throw rule
            ? differs(`${name.trim().slice(0, 40)}=${rule.value}`)
            : new Refused('noRule', name.trim().slice(0, 40));
        told.add(name.trim());
      }
      if (key === 'rules') {
        const own = data.head.find((one) => one.startsWith('rules: '));
        if (!own || !equal(json(value), json(own.slice(7)))) throw new Refused('otherParameter', 'rules');
        told.add('rules');
      }
    });
  }
  const missing = data.head
    .slice(1)
    .map((one) => (one.startsWith('rules: ') ? 'rules' : one.slice(6).split('=')[0]));
  for (const name of missing)
    if (!told.has(name)) throw new Refused('otherRules', data.head.slice(1).join(', ').slice(0, 200));
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refused('rulesNotJson');
  }
}

function equal(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b) return a === b;
  const [x, y] = [Object.entries(a), Object.entries(b)];
  return (
    Array.isArray(a) === Array.isArray(b) &&
    x.length === y.length &&
    x.every(([key, value]) => key in b && equal(value, (b as Record<string, unknown>)[key]))
  );
}

/** Refuse what nobody sees; blanks may be tabs. */
function checkLine(text: string): void {
  const hidden = unseen(text.replace(/\t/g, ' '));
  if (hidden) throw new Refused('hiddenInLine', hidden);
}

export function checkSeats(seats: Seat[], players: number): void {
  if (seats.length !== players) throw new Refused('seatCount', players, seats.length);
  checkNames(seats);
}

/** Refuse names that game files cannot hold, or that are the same once typed. */
export function checkNames(seats: Seat[]): void {
  for (const { name } of seats) {
    const wrong = noName(name);
    if (wrong) throw new Refused('noSeatName', name.slice(0, 40) || phrase('nothing'), wrong);
    if ([...HEAD, 'undo'].includes(folded(name))) throw new Refused('headName', name);
  }
  seats.forEach(({ name }, n) => {
    const same = seats.slice(0, n).find((one) => folded(one.name) === folded(name));
    if (same) throw new Refused('sameName', same.name, name);
  });
}

/** Why a text cannot be the name of a seat, or null where it can. */
function noName(name: string): Phrase | null {
  const mark = /[#,:=]/.exec(name);
  if (mark) return phrase('holdsMark', [mark[0]]);
  if (/^\p{M}/u.test(name)) return phrase('beginsWithAccent');
  const hidden = unseen(name);
  if (hidden) return phrase('holdsHidden', [hidden]);
  if (!name.trim()) return phrase('isEmpty');
  if (name !== name.trim()) return phrase('hasBlanks');
  const { length } = [...name];
  return length > LONGEST_SEAT ? phrase('isLong', [length, LONGEST_SEAT]) : null;
}

/** A name without what typing may change. */
function folded(name: string): string {
  return name.normalize('NFKC').toLowerCase().replace(/_/g, ' ').trim().split(/\s+/).join(' ');
}

/** The choice that is written: its number, its words or some of them, its dice. */
export function readChoice(table: Table, choices: Choice[], text: string): Choice {
  const words = wordsOf(text);
  const listed = (some: Choice[]) => {
    const more = some.length > MOST_LISTED ? `; and ${some.length - MOST_LISTED} more` : '';
    return (
      some
        .slice(0, MOST_LISTED)
        .map((one) => one.action)
        .join('; ') + more
    );
  };
  if (!words.length) throw new Refused('sayWhich', listed(choices));
  if (words.length === 1 && /^\d{1,6}$/.test(words[0]) && choices[Number(words[0]) - 1])
    return choices[Number(words[0]) - 1];
  const same = choices.find((choice) => wordsOf(choice.action).join(' ') === words.join(' '));
  if (same) return same;
  const { dice, rest } = split(table, words);
  let found = choices.filter(
    (choice) =>
      (!dice || dice.join(' ') === [...choice.keep].sort().join(' ')) &&
      rest.every((word) => wordsOf(choice.action).includes(word) || word === choice.then),
  );
  if (found.length > 1 && found.every((one) => one.after.begins || one.after.at === 'over')) {
    const most = largest(found.map((one) => one.points));
    found = found.filter((one) => one.points === most);
  }
  if (found.length === 1) return found[0];
  const said = text.trim().split(/\s+/).join(' ').slice(0, 60);
  if (found.length) throw new Refused('severalFit', said, listed(found));
  throw new Refused('noneFits', said, listed(choices));
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .replace(/(\d),(?=\d{3}\b)/g, '$1')
    .replace(/[,:]/g, ' ')
    .split(/\s+/)
    .filter(Boolean);
}

function split(table: Table, words: string[]): { dice: string[] | null; rest: string[] } {
  let begin = words[0] === 'keep' ? 1 : 0;
  const shown: string[] = [];
  for (; begin < words.length; begin++) {
    const faces = table.faces(words[begin]);
    if (!faces) break;
    for (const face of faces) shown.push(face);
  }
  return shown.length ? { dice: shown.sort(), rest: words.slice(begin) } : { dice: null, rest: words };
}
