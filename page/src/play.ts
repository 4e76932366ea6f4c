/** The game as it is played: positions, choices and throws, from the turn that the page carries. No rules here. */
import { ENGLISH, formatChoice } from './choice_text';
import { type Act, decodeChoice } from './choices';
import type { Form, Graph, PageData } from './data';
import { type Between, type Problem, Refused, type Root } from './problem';
import { phrase, diceCount } from './refusals';

export interface Position {
  b: Between;
  at: 'throw' | 'choose' | 'over';
  n: number;
  points: number;
  begins: boolean;
}

export interface Choice extends Act {
  /** In English, as game files hold it. */
  action: string;
  points: number;
  diceLeft: number;
  then: string;
  after: Position;
}

const ALWAYS = 0;
const COUNTS = 1;
const LOST = 3;
const HELD = ['throw', 'bank', 'stop', 'big']; // what follows with the points in hand
const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** The id of a position that is told by these, in order. */
export function idOf(data: PageData, told: [string, string][]): string {
  return [data.name, ...told.map(([name, text]) => `${name}=${text}`)].join('/');
}

/** What an id tells, in order. */
export function partsOf(data: PageData, id: string): Map<string, string> {
  const [name, ...parts] = id.trim().split('/');
  if (name !== data.name) throw new Refused('otherId', name.slice(0, 60) || phrase('nothing'), data.name);
  const known = new Set(data.fields.map((field) => field[0]));
  const told = new Map<string, string>();
  for (const part of parts) {
    const [key, ...value] = part.split('=');
    if (!known.has(key) || told.has(key)) throw new Refused('noId', id.slice(0, 200));
    told.set(key, value.join('='));
  }
  return told;
}

/** A game at a table: what may be done and what may fall. */
export interface Table {
  readonly data: PageData;
  readonly problem: Problem;
  start(): Position;
  begin(b: Between): Position;
  mover(p: Position): number;
  choices(p: Position): Choice[];
  /** How many ways the dice may fall, and one of them: its weight and where it leads. */
  falls(p: Position): number;
  fall(p: Position, n: number): { weight: number; after: Position };
  /** The dice to throw: how many, and what lies there already. */
  thrown(p: Position): { dice: number; act: Act; lies: string[] };
  /** What fell, as it is written; and the position that dice lead to, or null. */
  spelled(p: Position): string;
  shown(p: Position): string[];
  read(p: Position, dice: string[]): Position | null;
  readFall(p: Position, words: string): Position;
  /** The faces that a word names, or null. */
  faces(word: string): string[] | null;
  /** What may fall where that is told in words; null where it is dice. */
  options(p: Position): { words: string; after: Position }[] | null;
  facesOf(p: Position): string[];
  /** Throws that a position may be told to stand before, and that position. */
  throwable(p: Position): { n: number; act: Act }[];
  inside(b: Between, n: number, points: string): Position;
  note(p: Position): string;
  mishap(p: Position): number | null;
  /** The chance that a throw loses the whole score, where throws do. */
  wipe(p: Position): number | null;
  tell(p: Position): [string, string][];
  id(p: Position): string;
  position(id: string): Position;
  same(a: Position, b: Position): boolean;
}

/** Return a choice with its English text. */
export function withText(act: Act): Act & { action: string } {
  return { ...act, action: formatChoice(act, ENGLISH) };
}

export class GraphTable implements Table {
  readonly graph: Graph;
  private readonly lists: number[][];
  private readonly starts: { from: number; first: number }[][];
  /** What fell, in words, by the decision that it led to. */
  private readonly worded = new Map<number, string>();
  private readonly byTold = new Map<string, Root[]>();
  private readonly reached = new Map<string, Set<string>>();

  constructor(
    readonly data: PageData,
    readonly problem: Problem,
  ) {
    this.graph = data.graph;
    this.lists = data.graph.lists;
    this.starts = this.graph.throws.map((one) => {
      let first = 0;
      return one.falls.map(([from, count]) => {
        const here = { from, first };
        first += count;
        return here;
      });
    });
    this.graph.throws.forEach((one, n) =>
      one.told?.forEach((words, k) => this.worded.set(this.fall({ n } as Position, k).after.n, words)),
    );
    const add = (form: number, shown: string, root: Root) => {
      const key = this.keyOf(this.graph.forms[form], shown);
      this.byTold.set(key, [...(this.byTold.get(key) ?? []), root]);
    };
    this.graph.throws.forEach((one, n) => add(one.form, '', { at: 'throw', n }));
    this.graph.decisions.forEach(([, , form, shown], n) => add(form, shown, { at: 'choose', n }));
  }

  start(): Position {
    return this.begin(this.problem.start());
  }

  begin(b: Between): Position {
    if (this.problem.over(b)) return { b, at: 'over', n: 0, points: 0, begins: false };
    return { b, ...this.problem.root(b), points: 0, begins: true };
  }

  mover(p: Position): number {
    return this.problem.mover(p.b);
  }

  choices(p: Position): Choice[] {
    const { graph, problem } = this;
    const found: Choice[] = [];
    for (const row of this.lists[graph.decisions[p.n][0]].map((n) => graph.choices[n])) {
      const [act, keep, add, left, then, kind, to, when, plain] = row;
      const what = graph.words[kind];
      const moves = HELD.includes(what) && when !== LOST;
      const points = moves ? Math.max(0, p.points + add) : add;
      if (when !== ALWAYS && when !== LOST && problem.counts(p.b, points) !== (when === COUNTS)) continue;
      if (moves && !problem.fits(p.b, points)) continue;
      const after: Position =
        what === 'throw' || what === 'choose'
          ? { b: p.b, at: what, n: to, points, begins: false }
          : this.begin(problem.after(p.b, { kind: what, points, n: to }));
      found.push({
        ...withText(decodeChoice(graph.acts[act], this.names(keep), points, problem.bustCost(p.b))),
        points: plain ?? points,
        diceLeft: left,
        then: graph.words[then],
        after,
      });
    }
    if (!found.length) {
      const after = this.begin(problem.after(p.b, { kind: 'bust', points: 0, n: 0 }));
      const bust = decodeChoice(['bust', 'TurnLoss', []], [], 0, problem.bustCost(p.b));
      found.push({ ...withText(bust), points: 0, diceLeft: 0, then: 'end', after });
    }
    return found;
  }

  private names(dice: string): string[] {
    return [...dice].map((digit) => this.graph.faces[DIGITS.indexOf(digit)]);
  }

  falls(p: Position): number {
    return this.graph.throws[p.n].weights.length;
  }

  fall(p: Position, n: number): { weight: number; after: Position } {
    const runs = this.starts[p.n];
    let run = runs.length - 1;
    while (runs[run].first > n) run--;
    const decision = runs[run].from + n - runs[run].first;
    const after: Position = { b: p.b, at: 'choose', n: decision, points: p.points, begins: false };
    return { weight: this.graph.throws[p.n].weights[n], after };
  }

  thrown(p: Position): { dice: number; act: Act; lies: string[] } {
    const one = this.graph.throws[p.n];
    const form = this.graph.forms[one.form];
    const kept = form.find(([name]) => name === 'kept');
    return { dice: one.dice, act: this.roll(p.n, p.points), lies: kept ? [...kept[1]] : [] };
  }

  spelled(p: Position): string {
    const dice = this.shown(p);
    return dice.length ? dice.join(' ') : (this.worded.get(p.n) ?? '');
  }

  shown(p: Position): string[] {
    return p.at === 'choose' ? this.names(this.graph.decisions[p.n][3]) : [];
  }

  read(p: Position, dice: string[]): Position | null {
    const faces = this.graph.faces;
    const wanted = dice
      .map((face) => DIGITS[faces.indexOf(face)])
      .sort((a, b) => DIGITS.indexOf(a) - DIGITS.indexOf(b))
      .join('');
    for (let n = 0; n < this.falls(p); n++) {
      const { after } = this.fall(p, n);
      if (this.graph.decisions[after.n][3] === wanted) return after;
    }
    return null;
  }

  options(p: Position): { words: string; after: Position }[] | null {
    const { told } = this.graph.throws[p.n];
    return told ? told.map((words, n) => ({ words, after: this.fall(p, n).after })) : null;
  }

  facesOf(): string[] {
    return this.graph.faces.slice(0, this.problem.faces ?? this.graph.faces.length);
  }

  throwable(): { n: number; act: Act }[] {
    return this.graph.throws.map((_, n) => ({ n, act: this.roll(n, 0) }));
  }

  /** A roll, with so many points in hand. */
  private roll(n: number, points: number): Act {
    return decodeChoice(this.graph.throws[n].act, [], points, [0, 0]);
  }

  inside(b: Between, n: number, points: string): Position {
    const row = this.graph.throws[n];
    const held = whole(points || '0', 'turn');
    const units = this.problem.units(held, 0);
    const there = (unit: number) => !row.held || unit >= 4 * row.held.length || bit(row.held, unit);
    if (!Number.isInteger(units) || units < 0) throw new Refused('cannotBe', 'turn', held);
    if (!there(units)) {
      const near: number[] = [];
      for (let unit = units; unit >= 0 && !near.length; unit--) if (there(unit)) near.push(unit);
      for (let unit = units; unit < 4 * row.held!.length; unit++)
        if (there(unit)) {
          near.push(unit);
          break;
        }
      const inPoints = (unit: number) => Math.round((unit / this.problem.units(1, 0)) * 1e6) / 1e6;
      throw new Refused('notInHand', held, diceCount(row.dice), near.map(inPoints));
    }
    if (!this.problem.fits(b, held)) throw new Refused('passesTarget', 'turn', held);
    const begin = this.begin(b);
    if (begin.at === 'throw' && begin.n === n && !held) return begin;
    if (row.before >= 0) return { b, at: 'choose', n: row.before, points: held, begins: false };
    return { b, at: 'throw', n, points: held, begins: false };
  }

  faces(word: string): string[] | null {
    const faces = this.graph.faces;
    const lower = faces.map((face) => face.toLowerCase());
    const parts = faces.every((face) => face.length === 1) ? [...word] : word.split(' ');
    const found = parts.filter(Boolean).map((part) => lower.indexOf(part.toLowerCase()));
    return found.length && found.every((n) => n >= 0) ? found.map((n) => faces[n]) : null;
  }

  readFall(p: Position, words: string): Position {
    const options = this.options(p);
    if (options) {
      const said = words.trim().toLowerCase().replace(/_/g, ' ');
      const found = options.find((one) => one.words.toLowerCase() === said);
      if (found) return found.after;
      throw new Refused(
        'noOption',
        said.slice(0, 60),
        options.map((one) => one.words),
      );
    }
    const { dice: count, lies } = this.thrown(p);
    // A number with a face for each die is dice, 11 two aces; the word "total" makes it a total.
    const [, said, number] = /^(total\s+)?(\d{1,2})$/i.exec(words.trim()) ?? [];
    const isDice = !said && number?.length === count && this.faces(number);
    const total = number && !isDice ? this.problem.diceOfTotal?.(Number(number), count) : null;
    if (total) return this.read(p, total)!;
    const dice: string[] = [];
    for (const word of words.replace(/,/g, ' ').split(/\s+/).filter(Boolean)) {
      const faces = this.faces(word);
      if (!faces) throw new Refused('noSuchFace', word.slice(0, 40), this.facesOf());
      for (const face of faces) dice.push(face);
    }
    const found = this.read(p, dice) ?? this.read(p, [...lies, ...dice]);
    if (found) return found;
    throw new Refused('otherCount', words.trim().slice(0, 60), diceCount(dice.length), diceCount(count));
  }

  note(p: Position): string {
    if (p.at === 'throw')
      return this.graph.throws[p.n].note || this.mayBeForced(this.graph.throws[p.n].dice, p);
    if (p.at !== 'choose') return '';
    const before = this.graph.throws.find((one) => one.before === p.n);
    if (before) return this.mayBeForced(before.dice, p);
    const note = this.graph.words[this.graph.decisions[p.n][1]];
    if (note) return note;
    const [first] = this.choices(p);
    if (first.then === 'end' && this.lists[this.graph.decisions[p.n][0]].every((n) => this.holds(n)))
      return 'No dice of this roll may be set aside.';
    return '';
  }

  /** Said where the same dice could have to be thrown with what is in hand. */
  private mayBeForced(dice: number, p: Position): string {
    const forced = this.graph.throws.some(
      (one) => one.forced && one.dice === dice && one.held && bit(one.held, this.problem.units(p.points, 0)),
    );
    const asked = p.at === 'choose' || !this.graph.throws[p.n].forced;
    return forced && asked && !p.begins
      ? 'You may stop here, unless the last roll forces you to roll again: then add the field forced.'
      : '';
  }

  private holds(n: number): boolean {
    return ['throw', 'bank', 'stop'].includes(this.graph.words[this.graph.choices[n][5]]);
  }

  wipe(p: Position): number | null {
    const { words, choices, decisions, throws } = this.graph;
    if (this.data.family !== 'push' || !words.includes('wipe')) return null;
    const { weights } = throws[p.n];
    const lost = weights.filter((_, n) => {
      const rows = this.lists[decisions[this.fall(p, n).after.n][0]];
      return rows.every((row) => words[choices[row][5]] === 'wipe');
    });
    const sum = (some: number[]) => some.reduce((a, b) => a + b, 0);
    return sum(lost) / sum(weights);
  }

  mishap(p: Position): number | null {
    const one = this.graph.throws[p.n];
    if (one.mishap !== undefined) return one.held_only && !p.points ? null : one.mishap;
    if (this.data.family !== 'push') return null;
    let bad = 0;
    let all = 0;
    for (let n = 0; n < one.weights.length; n++) {
      const { weight, after } = this.fall(p, n);
      all += weight;
      const rows = this.lists[this.graph.decisions[after.n][0]].map((c) => this.graph.choices[c]);
      const lost = rows.every(([, , add, , , kind]) => {
        const what = this.graph.words[kind];
        if (what === 'bust') return true;
        if (what === 'win' || what === 'wipe') return false;
        return !this.problem.fits(p.b, Math.max(0, p.points + add));
      });
      if (lost) bad += weight;
    }
    return bad / all;
  }

  tell(p: Position): [string, string][] {
    const told = this.problem.tell(p.b);
    if (p.begins || p.at === 'over') return told;
    const shown = p.at === 'choose' ? this.graph.decisions[p.n][3] : '';
    const form =
      this.graph.forms[p.at === 'throw' ? this.graph.throws[p.n].form : this.graph.decisions[p.n][2]];
    return [...told, ...this.told(form, shown, p.points)];
  }

  private told(form: Form, shown: string, points: number): [string, string][] {
    const names = this.names(shown);
    const joint = names.every((name) => name.length === 1) ? '' : ',';
    return form.map(([name, text]) => [
      name,
      text === '{}' ? String(points) : text === '*' ? names.join(joint).replace(/ /g, '_') : text,
    ]);
  }

  private keyOf(form: Form, shown: string): string {
    return this.told(
      form.filter(([, text]) => text !== '{}'),
      shown,
      0,
    )
      .map(([name, text]) => `${name}=${text}`)
      .join('/');
  }

  id(p: Position): string {
    return idOf(this.data, this.tell(p));
  }

  position(id: string): Position {
    const inside = new Set(this.data.fields.filter((field) => field[3]).map((field) => field[0]));
    const told = new Map<string, string>();
    const rest: string[] = [];
    let points = 0;
    for (const [key, value] of partsOf(this.data, id)) {
      if (!inside.has(key)) told.set(key, value);
      else if (key === 'turn') points = whole(value, key);
      else rest.push(`${key}=${key === 'roll' ? this.sorted(value) : value}`);
    }
    const b = this.problem.read(told);
    if (!rest.length) return this.begin(b);
    const alike = this.byTold.get(rest.join('/')) ?? [];
    const root = this.problem.root(b);
    const may =
      alike.length > 1 ? alike.filter((one) => this.mayHold(one, points) && this.follows(root, one)) : alike;
    const found = may[0];
    if (!found) throw new Refused('cannotBeHere', rest.join(' ').slice(0, 100));
    return { b, ...found, points, begins: false };
  }

  /** Whether so many points can be in hand there, as far as throws tell it. */
  private mayHold({ at, n }: Root, points: number): boolean {
    const row = this.graph.throws.find((one, number) => (at === 'throw' ? number === n : one.before === n));
    return !row?.held || bit(row.held, this.problem.units(points, 0));
  }

  /** Whether what happens in a turn that begins so can come there. */
  private follows(root: Root, to: Root): boolean {
    const key = ({ at, n }: Root) => `${at}${n}`;
    let found = this.reached.get(key(root));
    if (!found) {
      found = new Set([key(root)]);
      const todo = [root];
      for (let here = todo.pop(); here; here = todo.pop()) {
        const next: Root[] = [];
        if (here.at === 'throw')
          for (const [from, count] of this.graph.throws[here.n].falls)
            for (let n = from; n < from + count; n++) next.push({ at: 'choose', n });
        else
          for (const row of this.lists[this.graph.decisions[here.n][0]].map((n) => this.graph.choices[n])) {
            const what = this.graph.words[row[5]];
            if (what === 'throw' || what === 'choose') next.push({ at: what, n: row[6] });
          }
        for (const one of next)
          if (!found.has(key(one))) {
            found.add(key(one));
            todo.push(one);
          }
      }
      this.reached.set(key(root), found);
    }
    return found.has(key(to));
  }

  /** Dice in the order of the faces. */
  private sorted(roll: string): string {
    const faces = this.graph.faces;
    if (faces.some((face) => face.length > 1)) return roll;
    return [...roll].sort((a, b) => faces.indexOf(a) - faces.indexOf(b)).join('');
  }

  same(a: Position, b: Position): boolean {
    return this.id(a) === this.id(b) && a.at === b.at;
  }
}

export function whole(text: string, name: string): number {
  if (!/^-?\d{1,9}$/.test(text.replace(/,/g, ''))) throw new Refused('notWhole', name, text.slice(0, 40));
  return Number(text.replace(/,/g, ''));
}

/** Whether a bit is set, of bits that are told in hexadecimal digits. */
export function bit(bits: string, n: number): boolean {
  const digit = bits[bits.length - 1 - (n >> 2)];
  return digit !== undefined && ((parseInt(digit, 16) >> (n & 3)) & 1) === 1;
}
