/** A game in progress, and its text: the same game files as the command line writes. */
import type { Choice, Position, Table } from './play';
import { Refused, findUnseen } from './problem';
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
  text: string;
}

const HEAD = ['game', 'rule', 'rules', 'objective', 'goal', 'turns', 'seat', 'dice', 'seed', 'start'];
export const LARGEST = 4_000_000; // bytes of a game file, as for the command line
const MOST_LISTED = 6;
const LONGEST_SEAT = 20;

export class Game {
  steps: Step[] = [];
  undone: string[] = [];
  isRolledByPage = false;
  private extraHead: string[] = ['dice: mine'];

  constructor(
    readonly table: Table,
    readonly seats: Seat[],
    readonly start: Position = table.start(),
  ) {
    checkSeats(seats, table.data.players);
    this.makeForcedChoices();
  }

  get position(): Position {
    return this.after(this.steps.length);
  }

  private after(count: number): Position {
    return count ? this.steps[count - 1].after : this.start;
  }

  get isOver(): boolean {
    return this.position.at === 'over';
  }

  get enteredSteps(): Step[] {
    return this.steps.filter((step) => step.text);
  }

  /** The number of steps before this turn, if no player has entered anything in it; otherwise -1. */
  get untouchedTurnStart(): number {
    for (let count = this.steps.length; count >= 0; count--) {
      if (this.after(count).isTurnStart) return count;
      if (count && this.steps[count - 1].text) return -1;
    }
    return -1;
  }

  /** Read a roll, a choice or a whole turn from text. */
  enter(text: string): void {
    const { table } = this;
    if (this.isOver) throw new Refused('gameOver');
    const words = text.trim();
    checkLine(words);
    const turnStart = this.untouchedTurnStart;
    if (/^turn /i.test(words) && turnStart >= 0) {
      const position = this.after(turnStart);
      const after = table.begin(table.problem.applyTurn(position.b, words.slice(5)));
      this.steps.length = turnStart;
      this.add('turn', after, null, 0, table.problem.turnLine(words.slice(5)));
    } else if (this.position.at === 'throw') {
      this.enterRoll(table.parseRoll(this.position, words));
    } else {
      const choices = table.choices(this.position);
      this.choose(readChoice(table, choices, words), choices.length);
    }
  }

  enterRoll(after: Position): void {
    this.add('throw', after, null, 0, this.table.rollText(after));
  }

  choose(choice: Choice, options: number): void {
    this.add('choice', choice.after, choice, options, choice.action);
  }

  /** Do a new action of the player: steps that were undone cannot be redone afterwards. */
  act(action: () => void): void {
    action();
    this.undone = [];
  }

  private add(
    kind: Step['kind'],
    after: Position,
    choice: Choice | null,
    options: number,
    text: string,
  ): void {
    const position = this.position;
    this.steps.push({ kind, seat: this.table.mover(position), position, after, choice, options, text: text });
    this.makeForcedChoices();
  }

  /** Make every choice that is the only one. */
  private makeForcedChoices(): void {
    while (this.position.at === 'choose') {
      const position = this.position;
      const choices = this.table.choices(position);
      if (choices.length > 1) return;
      const [choice] = choices;
      const seat = this.table.mover(position);
      this.steps.push({ kind: 'choice', seat, position, after: choice.after, choice, options: 1, text: '' });
    }
  }

  /** Whether somebody has entered anything, even if it was undone. */
  get begun(): boolean {
    return this.undone.length > 0 || this.steps.some((step) => step.text);
  }

  /** Undo the last events that people entered; return how many there were. */
  undo(count = 1): number {
    let length = this.steps.length;
    let undone = 0;
    for (let n = length - 1; n >= 0 && undone < count; n--) {
      const { text: text } = this.steps[n];
      if (!text) continue;
      this.undone.push(text);
      length = n;
      undone++;
    }
    this.steps.length = length;
    this.makeForcedChoices();
    return undone;
  }

  redo(): void {
    const text = this.undone.pop();
    if (text !== undefined) this.enter(text);
  }

  lines(): string[] {
    return this.enteredSteps.map((step) => `${this.seats[step.seat].name}: ${step.text}`);
  }

  text(): string {
    const { data } = this.table;
    const parameters = Object.entries(data.parameters).filter(([name]) => HEAD.includes(name));
    const head = [
      ...data.head,
      `objective: ${data.objective}`,
      ...parameters.map(([name, number]) => `${name}: ${number}`),
      ...this.seats.map((seat) => `seat: ${seat.name} = ${seat.player}`),
      ...this.extraHead,
      ...(this.table.same(this.start, this.table.start()) ? [] : [`start: ${this.table.id(this.start)}`]),
    ];
    return `${[...head, '', ...this.lines()].join('\n')}\n`;
  }

  static parse(table: Table, text: string, name: string): Game {
    if (text.length > LARGEST) throw new Refused('fileTooLarge', name);
    const atLine = (line: number, action: () => void) => {
      try {
        action();
      } catch (error) {
        if (error instanceof Refused) throw new Refused('inLine', name, line, error);
        throw error;
      }
    };
    const head: [number, string, string][] = [];
    const body: [number, string][] = [];
    text
      .replace(/^\uFEFF/, '')
      .split(/\r\n|\r|\n/)
      .forEach((raw, n) => {
        const line = raw.trim();
        if (!line || line.startsWith('#')) return;
        atLine(n + 1, () => checkLine(line));
        const colon = line.indexOf(':');
        const key = colon < 0 ? '' : line.slice(0, colon).trim().toLowerCase();
        if (!body.length && HEAD.includes(key)) head.push([n + 1, key, line.slice(colon + 1).trim()]);
        else body.push([n + 1, line]);
      });
    if (!head.some(([, key]) => key === 'game'))
      throw new Refused('inLine', name, body.length ? body[0][0] : 1, phrase('noGameFile'));
    checkHead(table, head, atLine);
    const seats = head
      .filter(([, key]) => key === 'seat')
      .map(([, , value]) => {
        const [seatName, player] = [value.split('=')[0].trim(), value.split('=').slice(1).join('=').trim()];
        return { name: seatName, player: player || 'person' };
      });
    let game!: Game;
    const startLine = head.find(([, key]) => key === 'start');
    atLine(startLine ? startLine[0] : head[head.length - 1][0], () => {
      game = new Game(table, seats, startLine ? table.position(startLine[2]) : table.start());
    });
    const extraHead = head
      .filter(([, key]) => key === 'dice' || key === 'seed')
      .map(([, key, value]) => `${key}: ${value}`);
    if (extraHead.length) game.extraHead = extraHead;
    for (const [line, words] of body) atLine(line, () => game.parseLine(words));
    return game;
  }

  private parseLine(line: string): void {
    const undoMatch = /^undo(?:\s+(\d{1,6}))?$/i.exec(line);
    if (undoMatch) {
      const count = Number(undoMatch[1] ?? 1);
      const undone = this.undo(count);
      if (count < 1 || undone < count) throw new Refused('nothingToUndo', undone);
      this.undone = [];
      return;
    }
    if (this.isOver) throw new Refused('noMoreLines');
    const colon = line.indexOf(':');
    const seatName = line.slice(0, colon).trim().toLowerCase();
    const mover = this.seats[this.table.mover(this.position)];
    if (colon < 0 || !this.seats.some((seat) => seat.name.toLowerCase() === seatName))
      throw new Refused('noSeatInLine', mover.name);
    if (seatName !== mover.name.toLowerCase())
      throw new Refused('otherTurn', mover.name, line.slice(0, colon).trim());
    this.enter(line.slice(colon + 1));
  }
}

/** Refuse a file of another game, or of other rules than the page's. */
function checkHead(
  table: Table,
  head: [number, string, string][],
  atLine: (line: number, action: () => void) => void,
): void {
  const { data } = table;
  const seen = new Set<string>();
  const rules = new Map(data.rules.map(([key, value]) => [key, { value: String(value).toLowerCase() }]));
  const ruleNames = new Set<string>();
  for (const [line, key, value] of head) {
    atLine(line, () => {
      if (key !== 'rule' && key !== 'seat' && seen.has(key)) throw new Refused('toldTwice', key);
      seen.add(key);
      const otherGame = (expected: string) => new Refused('otherGame', expected);
      if (key === 'game' && value !== data.game) throw otherGame(data.game);
      if (key === 'objective' && value !== data.objective)
        throw new Refused('otherObjective', data.objective);
      if ((key === 'goal' || key === 'turns') && Number(value) !== data.parameters[key])
        throw new Refused('otherParameter', key);
      if (key === 'rule') {
        const [name, ...words] = value.split('=');
        const rule = rules.get(name.trim());
        const ruleValue = words
          .join('=')
          .trim()
          .toLowerCase()
          .replace(/^(yes|on)$/, 'true')
          .replace(/^(no|off)$/, 'false');
        if (!rule || rule.value !== ruleValue)
          throw rule
            ? otherGame(`${name.trim().slice(0, 40)}=${rule.value}`)
            : new Refused('noRule', name.trim().slice(0, 40));
        ruleNames.add(name.trim());
      }
      if (key === 'rules') {
        const rulesLine = data.head.find((text) => text.startsWith('rules: '));
        if (!rulesLine || !isEqual(readJson(value), readJson(rulesLine.slice(7))))
          throw new Refused('otherParameter', 'rules');
        ruleNames.add('rules');
      }
    });
  }
  const required = data.head
    .slice(1)
    .map((text) => (text.startsWith('rules: ') ? 'rules' : text.slice(6).split('=')[0]));
  for (const name of required)
    if (!ruleNames.has(name)) throw new Refused('otherRules', data.head.slice(1).join(', ').slice(0, 200));
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refused('rulesNotJson');
  }
}

function isEqual(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b) return a === b;
  const [x, y] = [Object.entries(a), Object.entries(b)];
  return (
    Array.isArray(a) === Array.isArray(b) &&
    x.length === y.length &&
    x.every(([key, value]) => key in b && isEqual(value, (b as Record<string, unknown>)[key]))
  );
}

/** Refuse invisible characters; blanks may be tabs. */
function checkLine(text: string): void {
  const hidden = findUnseen(text.replace(/\t/g, ' '));
  if (hidden) throw new Refused('hiddenInLine', hidden);
}

export function checkSeats(seats: Seat[], players: number): void {
  if (seats.length !== players) throw new Refused('seatCount', players, seats.length);
  checkNames(seats);
}

/** Refuse names that game files cannot hold, or that differ only in ways that typing may change. */
export function checkNames(seats: Seat[]): void {
  for (const { name } of seats) {
    const fault = findNameFault(name);
    if (fault) throw new Refused('noSeatName', name.slice(0, 40) || phrase('nothing'), fault);
    if ([...HEAD, 'undo'].includes(foldName(name))) throw new Refused('headName', name);
  }
  seats.forEach(({ name }, n) => {
    const match = seats.slice(0, n).find((other) => foldName(other.name) === foldName(name));
    if (match) throw new Refused('sameName', match.name, name);
  });
}

/** Why a text cannot be the name of a seat, or null if it can. */
function findNameFault(name: string): Phrase | null {
  const mark = /[#,:=]/.exec(name);
  if (mark) return phrase('holdsMark', [mark[0]]);
  if (/^\p{M}/u.test(name)) return phrase('beginsWithAccent');
  const hidden = findUnseen(name);
  if (hidden) return phrase('holdsHidden', [hidden]);
  if (!name.trim()) return phrase('isEmpty');
  if (name !== name.trim()) return phrase('hasBlanks');
  const { length } = [...name];
  return length > LONGEST_SEAT ? phrase('isLong', [length, LONGEST_SEAT]) : null;
}

/** Return a name without the differences that typing may change. */
function foldName(name: string): string {
  return name.normalize('NFKC').toLowerCase().replace(/_/g, ' ').trim().split(/\s+/).join(' ');
}

/** Return the choice that a text names by its number, its words, some of its words, or its dice. */
export function readChoice(table: Table, choices: Choice[], text: string): Choice {
  const words = splitWords(text);
  const listChoices = (options: Choice[]) => {
    const more = options.length > MOST_LISTED ? `; and ${options.length - MOST_LISTED} more` : '';
    return (
      options
        .slice(0, MOST_LISTED)
        .map((choice) => choice.action)
        .join('; ') + more
    );
  };
  if (!words.length) throw new Refused('sayWhich', listChoices(choices));
  if (words.length === 1 && /^\d{1,6}$/.test(words[0]) && choices[Number(words[0]) - 1])
    return choices[Number(words[0]) - 1];
  const match = choices.find((choice) => splitWords(choice.action).join(' ') === words.join(' '));
  if (match) return match;
  const { dice, rest } = splitDice(table, words);
  let matches = choices.filter(
    (choice) =>
      (!dice || dice.join(' ') === [...choice.keep].sort().join(' ')) &&
      rest.every((word) => splitWords(choice.action).includes(word) || word === choice.then),
  );
  if (
    matches.length > 1 &&
    matches.every((choice) => choice.after.isTurnStart || choice.after.at === 'over')
  ) {
    const mostPoints = largest(matches.map((choice) => choice.points));
    matches = matches.filter((choice) => choice.points === mostPoints);
  }
  if (matches.length === 1) return matches[0];
  const shortText = text.trim().split(/\s+/).join(' ').slice(0, 60);
  if (matches.length) throw new Refused('severalFit', shortText, listChoices(matches));
  throw new Refused('noneFits', shortText, listChoices(choices));
}

/** Words of older game files, and those of today. */
const OLDER_WORDS: [RegExp, string][] = [
  [/\bsettle for (\d+)\b/g, 'stop and score $1'],
  [/\bkeep (\d) recast \1\b/g, 'keep one $1 roll the other again'],
  [/\bkeep (\d) recast (\d)\b/g, 'keep the $1 roll the $2 again'],
  [/\brecast both crew dice\b/g, 'roll both crew dice again'],
  [/\b(throw|cast)\b/g, 'roll'],
];

/** Return the words of a choice, with older words replaced. */
function splitWords(text: string): string[] {
  let plain = text
    .toLowerCase()
    .replace(/(\d),(?=\d{3}\b)/g, '$1')
    .replace(/[,:\s]+/g, ' ')
    .trim();
  for (const [older, present] of OLDER_WORDS) plain = plain.replace(older, present);
  return plain ? plain.split(' ') : [];
}

function splitDice(table: Table, words: string[]): { dice: string[] | null; rest: string[] } {
  let begin = words[0] === 'keep' ? 1 : 0;
  const dice: string[] = [];
  for (; begin < words.length; begin++) {
    const faces = table.parseFaces(words[begin]);
    if (!faces) break;
    for (const face of faces) dice.push(face);
  }
  return dice.length ? { dice: dice.sort(), rest: words.slice(begin) } : { dice: null, rest: words };
}
