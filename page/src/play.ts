/** The playable game: positions, choices and rolls, read from the turn graph in the page. No rules here. */
import { ENGLISH, formatChoice } from './choice_text';
import { type Act, decodeChoice } from './choices';
import type { ChoiceRow, Form, Graph, PageData } from './data';
import { type Between, type Problem, Refused, type Root } from './problem';
import { phrase, diceCount } from './refusals';

export interface Position {
  b: Between;
  at: 'throw' | 'choose' | 'over';
  n: number;
  points: number;
  isTurnStart: boolean;
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
const KEEPS_POINTS = ['throw', 'bank', 'stop', 'big']; // outcomes that keep the turn points
/** The signs that stand for faces. Two hands of six unlike dice have up to 72 faces. */
export const DIGITS =
  '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚ';

/** Return the id of the position with these fields, in order. */
export function formatId(data: PageData, fields: [string, string][]): string {
  return [data.name, ...fields.map(([name, text]) => `${name}=${text}`)].join('/');
}

/** Return the fields of an id, in order. */
export function parseId(data: PageData, id: string): Map<string, string> {
  const [name, ...parts] = id.trim().split('/');
  if (name !== data.name) throw new Refused('otherId', name.slice(0, 60) || phrase('nothing'), data.name);
  const names = new Set(data.fields.map((field) => field[0]));
  const fields = new Map<string, string>();
  for (const part of parts) {
    const [key, ...value] = part.split('=');
    if (!names.has(key) || fields.has(key)) throw new Refused('noId', id.slice(0, 200));
    fields.set(key, value.join('='));
  }
  return fields;
}

/** A playable game: its choices and its rolls. */
export interface Table {
  readonly data: PageData;
  readonly problem: Problem;
  start(): Position;
  begin(b: Between): Position;
  mover(p: Position): number;
  choices(p: Position): Choice[];
  /** The number of possible rolls. */
  rollCount(p: Position): number;
  /** Roll number n: its weight, and the position after it. */
  rollAt(p: Position, n: number): { weight: number; after: Position };
  /** The dice to roll: how many, and the dice that are on the table already. */
  nextRoll(p: Position): { dice: number; act: Act; tableDice: string[] };
  /** The roll on the table as text. */
  rollText(p: Position): string;
  /** The dice of the roll on the table; none if rolls are described in words. */
  rolledDice(p: Position): string[];
  /** The position after a roll of these dice; null if there is no such roll. */
  afterRoll(p: Position, dice: string[]): Position | null;
  /** Read a roll from text; return the position after it. */
  parseRoll(p: Position, words: string): Position;
  /** The faces that a word names, or null. */
  parseFaces(word: string): string[] | null;
  /** All rolls, if they are described in words; null if they are dice. */
  wordedRolls(p: Position): { words: string; after: Position }[] | null;
  /** The faces that the dice of the next roll can show. */
  facesOf(p: Position): string[];
  /** The rolls before which a user may set up a position. */
  setupRolls(p: Position): { n: number; act: Act }[];
  /** The position before a roll with these turn points. */
  beforeRoll(b: Between, n: number, points: string): Position;
  note(p: Position): string;
  /** The probability of the game's mishap, such as a bust; null if the roll has none. */
  mishapProbability(p: Position): number | null;
  /** The probability that a roll loses the whole score; null if no roll does. */
  wipeProbability(p: Position): number | null;
  /** The fields of a position, in order. */
  formatFields(p: Position): [string, string][];
  id(p: Position): string;
  position(id: string): Position;
  same(a: Position, b: Position): boolean;
}

const ROLL_FIELDS = ['throw', 'cast'];

/** Return the number of the roll in the turn, from the fields of its position. */
export function rollIndex(fields: Form): number {
  return Number(fields.find(([name]) => ROLL_FIELDS.includes(name))?.[1] ?? 1);
}

/** Return a choice with its English text. */
export function withText(act: Act): Act & { action: string } {
  return { ...act, action: formatChoice(act, ENGLISH) };
}

/** What a player decides: the choices, a remark of the game, and the fields and dice of the position. */
export interface Decision {
  rows: ChoiceRow[];
  note: string;
  form: Form;
  dice: string;
}

export class GraphTable implements Table {
  readonly graph: Graph;
  private readonly starts: { from: number; first: number }[][];
  /** The roll in words, by the decision after it. */
  private readonly rollTexts = new Map<number, string>();
  private readonly rootsByFields = new Map<string, Root[]>();
  private readonly reachableRoots = new Map<string, Set<string>>();
  /** What stands between the dice of a roll in an id. */
  private readonly joint: string;

  constructor(
    readonly data: PageData,
    readonly problem: Problem,
  ) {
    this.graph = data.graph;
    const dice = data.fields.filter(([, kind]) => kind === 'DICE');
    this.joint = dice.every(([, , , , words]) => words.every((word) => word.length === 1)) ? '' : ',';
    this.starts = this.graph.throws.map((row) => {
      let first = 0;
      return row.falls.map(([from, count]) => {
        const run = { from, first };
        first += count;
        return run;
      });
    });
    this.graph.throws.forEach((row, n) =>
      row.told?.forEach((words, k) => this.rollTexts.set(this.rollAt({ n } as Position, k).after.n, words)),
    );
    this.graph.throws.forEach((row, n) => this.addRoot(this.graph.forms[row.form], '', { at: 'throw', n }));
    this.graph.decisions.forEach(([, , form, digits], n) =>
      this.addRoot(this.graph.forms[form], digits, { at: 'choose', n }),
    );
  }

  protected addRoot(form: Form, dice: string, root: Root): void {
    const key = this.fieldsKey(form, dice);
    this.rootsByFields.set(key, [...(this.rootsByFields.get(key) ?? []), root]);
  }

  /** The roots whose positions have these fields. */
  protected rootsOf(fields: string): Root[] {
    return this.rootsByFields.get(fields) ?? [];
  }

  protected decision(n: number): Decision {
    const { choices, decisions, forms, lists, words } = this.graph;
    const [list, note, form, dice] = decisions[n];
    return { rows: lists[list].map((row) => choices[row]), note: words[note], form: forms[form], dice };
  }

  start(): Position {
    return this.begin(this.problem.start());
  }

  begin(b: Between): Position {
    if (this.problem.result(b)) return { b, at: 'over', n: 0, points: 0, isTurnStart: false };
    return { b, ...this.problem.root(b), points: 0, isTurnStart: true };
  }

  mover(p: Position): number {
    return this.problem.mover(p.b);
  }

  choices(p: Position): Choice[] {
    const { graph, problem } = this;
    const choices: Choice[] = [];
    for (const row of this.decision(p.n).rows) {
      const [act, keep, add, left, then, kind, to, condition, plain] = row;
      const outcome = graph.words[kind];
      const carriesPoints = KEEPS_POINTS.includes(outcome) && condition !== LOST;
      const points = carriesPoints ? Math.max(0, p.points + add) : add;
      if (
        condition !== ALWAYS &&
        condition !== LOST &&
        problem.bankCounts(p.b, points) !== (condition === COUNTS)
      )
        continue;
      if (carriesPoints && !problem.mayHold(p.b, points)) continue;
      const after: Position =
        outcome === 'throw' || outcome === 'choose'
          ? { b: p.b, at: outcome, n: to, points, isTurnStart: false }
          : this.begin(problem.after(p.b, { kind: outcome, points, n: to }));
      choices.push({
        ...withText(decodeChoice(graph.acts[act], this.faceNames(keep), points, problem.bustCost(p.b))),
        points: plain ?? points,
        diceLeft: left,
        then: graph.words[then],
        after,
      });
    }
    if (!choices.length) {
      const after = this.begin(problem.after(p.b, { kind: 'bust', points: 0, n: 0 }));
      const bust = decodeChoice(['bust', 'TurnLoss', []], [], 0, problem.bustCost(p.b));
      choices.push({ ...withText(bust), points: 0, diceLeft: 0, then: 'end', after });
    }
    return choices;
  }

  private faceNames(dice: string): string[] {
    return [...dice].map((digit) => this.graph.faces[DIGITS.indexOf(digit)]);
  }

  rollCount(p: Position): number {
    return this.graph.throws[p.n].weights.length;
  }

  rollAt(p: Position, n: number): { weight: number; after: Position } {
    const runs = this.starts[p.n];
    let run = runs.length - 1;
    while (runs[run].first > n) run--;
    const decision = runs[run].from + n - runs[run].first;
    const after: Position = { b: p.b, at: 'choose', n: decision, points: p.points, isTurnStart: false };
    return { weight: this.graph.throws[p.n].weights[n], after };
  }

  nextRoll(p: Position): { dice: number; act: Act; tableDice: string[] } {
    const row = this.graph.throws[p.n];
    const form = this.graph.forms[row.form];
    const kept = form.find(([name]) => name === 'kept');
    return { dice: row.dice, act: this.roll(p.n, p.points), tableDice: kept ? [...kept[1]] : [] };
  }

  rollText(p: Position): string {
    const dice = this.rolledDice(p);
    return dice.length ? dice.join(' ') : (this.rollTexts.get(p.n) ?? '');
  }

  rolledDice(p: Position): string[] {
    return p.at === 'choose' ? this.faceNames(this.decision(p.n).dice) : [];
  }

  afterRoll(p: Position, dice: string[]): Position | null {
    const order = this.facesOf(p); // that of the mover's dice
    const n = this.rollOf(p, this.digitsOf([...dice].sort((a, b) => order.indexOf(a) - order.indexOf(b))));
    return n < 0 ? null : this.rollAt(p, n).after;
  }

  /** Return dice as the digits of their faces. */
  protected digitsOf(dice: string[]): string {
    return dice.map((face) => DIGITS[this.graph.faces.indexOf(face)]).join('');
  }

  /** Return the number of the roll with these dice; -1 if there is none. */
  protected rollOf(p: Position, dice: string): number {
    for (let n = 0; n < this.rollCount(p); n++)
      if (this.graph.decisions[this.rollAt(p, n).after.n][3] === dice) return n;
    return -1;
  }

  wordedRolls(p: Position): { words: string; after: Position }[] | null {
    const { told: texts } = this.graph.throws[p.n];
    return texts ? texts.map((words, n) => ({ words, after: this.rollAt(p, n).after })) : null;
  }

  facesOf(p: Position): string[] {
    return (
      this.problem.facesOf(p.b) ?? this.graph.faces.slice(0, this.problem.faces ?? this.graph.faces.length)
    );
  }

  setupRolls(p: Position): { n: number; act: Act }[] {
    return this.rollsOf(p.b).map((n) => ({ n, act: this.roll(n, 0) }));
  }

  /** Return the numbers of the rolls that the mover can make. */
  private rollsOf(b: Between): number[] {
    const [first, end] = this.problem.rolls(b) ?? [0, this.graph.throws.length];
    return Array.from({ length: end - first }, (_, n) => first + n);
  }

  /** Return a roll with these turn points. */
  private roll(n: number, points: number): Act {
    return decodeChoice(this.graph.throws[n].act, [], points, [0, 0, 0]);
  }

  beforeRoll(b: Between, n: number, points: string): Position {
    const row = this.graph.throws[n];
    const turnPoints = parseWhole(points || '0', 'turn');
    const units = this.problem.units(b, turnPoints, 0);
    const isPossible = (unit: number) => !row.held || unit >= 4 * row.held.length || hasBit(row.held, unit);
    if (!Number.isInteger(units) || units < 0) throw new Refused('cannotBe', 'turn', turnPoints);
    if (!isPossible(units)) {
      const nearest: number[] = [];
      for (let unit = units; unit >= 0 && !nearest.length; unit--) if (isPossible(unit)) nearest.push(unit);
      for (let unit = units; unit < 4 * row.held!.length; unit++)
        if (isPossible(unit)) {
          nearest.push(unit);
          break;
        }
      const pointsOf = (unit: number) => Math.round((unit / this.problem.units(b, 1, 0)) * 1e6) / 1e6;
      throw new Refused('notInHand', turnPoints, diceCount(row.dice), nearest.map(pointsOf));
    }
    if (!this.problem.mayHold(b, turnPoints)) throw new Refused('passesTarget', 'turn', turnPoints);
    const start = this.begin(b);
    if (start.at === 'throw' && start.n === n && !turnPoints) return start;
    if (row.before >= 0) return { b, at: 'choose', n: row.before, points: turnPoints, isTurnStart: false };
    return { b, at: 'throw', n, points: turnPoints, isTurnStart: false };
  }

  parseFaces(word: string): string[] | null {
    const faces = this.graph.faces;
    const lower = faces.map((face) => face.toLowerCase());
    const parts = faces.every((face) => face.length === 1) ? [...word] : word.split(' ');
    const indexes = parts.filter(Boolean).map((part) => lower.indexOf(part.toLowerCase()));
    return indexes.length && indexes.every((n) => n >= 0) ? indexes.map((n) => faces[n]) : null;
  }

  parseRoll(p: Position, words: string): Position {
    const options = this.wordedRolls(p);
    if (options) {
      const text = words.trim().toLowerCase().replace(/_/g, ' ');
      const option = options.find((option) => option.words.toLowerCase() === text);
      if (option) return option.after;
      throw new Refused(
        'noOption',
        text.slice(0, 60),
        options.map((option) => option.words),
      );
    }
    const { dice: count, tableDice: tableDice } = this.nextRoll(p);
    // A number with a face for each die is dice, 11 two aces; the word "total" makes it a total.
    const [, totalWord, number] = /^(total\s+)?(\d{1,2})$/i.exec(words.trim()) ?? [];
    const isDice = !totalWord && number?.length === count && this.parseFaces(number);
    const total = number && !isDice ? this.problem.diceOfTotal?.(Number(number), count) : null;
    if (total) return this.afterRoll(p, total)!;
    const dice: string[] = [];
    for (const word of words.replace(/,/g, ' ').split(/\s+/).filter(Boolean)) {
      const faces = this.parseFaces(word);
      if (!faces) throw new Refused('noSuchFace', word.slice(0, 40), this.facesOf(p));
      for (const face of faces) dice.push(face);
    }
    const position = this.afterRoll(p, dice) ?? this.afterRoll(p, [...tableDice, ...dice]);
    if (position) return position;
    throw new Refused('otherCount', words.trim().slice(0, 60), diceCount(dice.length), diceCount(count));
  }

  note(p: Position): string {
    if (p.at === 'throw')
      return this.graph.throws[p.n].note || this.mayBeForced(this.graph.throws[p.n].dice, p);
    if (p.at !== 'choose') return '';
    const nextRoll = this.graph.throws.find((row) => row.before === p.n);
    if (nextRoll) return this.mayBeForced(nextRoll.dice, p);
    const { note, rows } = this.decision(p.n);
    if (note) return note;
    const [first] = this.choices(p);
    if (first.then === 'end' && rows.every((row) => this.wouldScore(row)))
      return 'No dice of this roll may be set aside.';
    return '';
  }

  /** Return a note if a forced roll of the same dice with the same turn points exists. */
  private mayBeForced(dice: number, p: Position): string {
    const units = this.problem.units(p.b, p.points, 0);
    const forced = this.rollsOf(p.b).some((n) => {
      const row = this.graph.throws[n];
      return row.forced && row.dice === dice && row.held && hasBit(row.held, units);
    });
    const isOptional = p.at === 'choose' || !this.graph.throws[p.n].forced;
    return forced && isOptional && !p.isTurnStart
      ? 'You may stop here, unless the last roll forces you to roll again: then add the field forced.'
      : '';
  }

  private wouldScore(row: ChoiceRow): boolean {
    return ['throw', 'bank', 'stop'].includes(this.graph.words[row[5]]);
  }

  wipeProbability(p: Position): number | null {
    const { words, throws } = this.graph;
    if (this.data.family !== 'push' || !words.includes('wipe')) return null;
    const { weights } = throws[p.n];
    const wipes = weights.filter((_, n) => {
      return this.decision(this.rollAt(p, n).after.n).rows.every((row) => words[row[5]] === 'wipe');
    });
    const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);
    return sum(wipes) / sum(weights);
  }

  mishapProbability(p: Position): number | null {
    const row = this.graph.throws[p.n];
    if (row.mishap !== undefined) return row.held_only && !p.points ? null : row.mishap;
    if (!['push', 'unlike'].includes(this.data.family)) return null;
    let bustWeight = 0;
    let totalWeight = 0;
    for (let n = 0; n < row.weights.length; n++) {
      const { weight, after } = this.rollAt(p, n);
      totalWeight += weight;
      const isBust = this.decision(after.n).rows.every(([, , add, , , kind]) => {
        const outcome = this.graph.words[kind];
        if (outcome === 'bust') return true;
        if (outcome === 'win' || outcome === 'wipe') return false;
        return !this.problem.mayHold(p.b, Math.max(0, p.points + add));
      });
      if (isBust) bustWeight += weight;
    }
    return bustWeight / totalWeight;
  }

  formatFields(p: Position): [string, string][] {
    const fields = this.problem.formatFields(p.b);
    if (p.isTurnStart || p.at === 'over') return fields;
    const { form, dice } =
      p.at === 'choose'
        ? this.decision(p.n)
        : { form: this.graph.forms[this.graph.throws[p.n].form], dice: '' };
    return [...fields, ...this.turnFields(form, dice, p.points)];
  }

  private turnFields(form: Form, shown: string, points: number): [string, string][] {
    const faceNames = this.faceNames(shown);
    return form.map(([name, text]) => [
      name,
      text === '{}' ? String(points) : text === '*' ? faceNames.join(this.joint).replace(/ /g, '_') : text,
    ]);
  }

  protected fieldsKey(form: Form, shown: string): string {
    return this.turnFields(
      form.filter(([, text]) => text !== '{}'),
      shown,
      0,
    )
      .map(([name, text]) => `${name}=${text}`)
      .join('/');
  }

  id(p: Position): string {
    return formatId(this.data, this.formatFields(p));
  }

  position(id: string): Position {
    const turnFields = new Set(this.data.fields.filter((field) => field[3]).map((field) => field[0]));
    const fields = new Map<string, string>();
    const turnParts: string[] = [];
    let points = 0;
    for (const [key, value] of parseId(this.data, id)) {
      if (!turnFields.has(key)) fields.set(key, value);
      else if (key === 'turn') points = parseWhole(value, key);
      else turnParts.push(`${key}=${key === 'roll' ? this.sortRoll(value) : value}`);
    }
    const b = this.problem.parseFields(fields);
    if (!turnParts.length) return this.begin(b);
    const roots = this.rootsOf(turnParts.join('/'));
    const root = this.problem.root(b);
    const candidates =
      roots.length > 1 || this.problem.rolls(b)
        ? roots.filter((candidate) => this.mayHold(b, candidate, points) && this.canReach(root, candidate))
        : roots;
    const first = candidates[0];
    if (!first) throw new Refused('cannotBeHere', turnParts.join(' ').slice(0, 100));
    return { b, ...first, points, isTurnStart: false };
  }

  /** Whether these turn points are possible there, as far as the rolls of the graph state it. */
  private mayHold(b: Between, { at, n }: Root, points: number): boolean {
    const row = this.graph.throws.find((candidate, number) =>
      at === 'throw' ? number === n : candidate.before === n,
    );
    return !row?.held || hasBit(row.held, this.problem.units(b, points, 0));
  }

  /** Whether a turn that begins at one root can reach the other. */
  protected canReach(root: Root, to: Root): boolean {
    const key = ({ at, n }: Root) => `${at}${n}`;
    let keys = this.reachableRoots.get(key(root));
    if (!keys) {
      keys = new Set([key(root)]);
      const queue = [root];
      for (let current = queue.pop(); current; current = queue.pop()) {
        const successors: Root[] = [];
        if (current.at === 'throw')
          for (const [from, count] of this.graph.throws[current.n].falls)
            for (let n = from; n < from + count; n++) successors.push({ at: 'choose', n });
        else
          for (const row of this.decision(current.n).rows) {
            const outcome = this.graph.words[row[5]];
            if (outcome === 'throw' || outcome === 'choose') successors.push({ at: outcome, n: row[6] });
          }
        for (const successor of successors)
          if (!keys.has(key(successor))) {
            keys.add(key(successor));
            queue.push(successor);
          }
      }
      this.reachableRoots.set(key(root), keys);
    }
    return keys.has(key(to));
  }

  /** Return dice in the order of the faces. */
  private sortRoll(roll: string): string {
    const faces = this.graph.faces;
    if (faces.some((face) => face.length > 1)) return roll;
    return [...roll].sort((a, b) => faces.indexOf(a) - faces.indexOf(b)).join('');
  }

  /** Return the faces of a roll in an id. */
  protected splitRoll(roll: string): string[] {
    return this.joint ? roll.split(this.joint) : [...roll];
  }

  same(a: Position, b: Position): boolean {
    return this.id(a) === this.id(b) && a.at === b.at;
  }
}

export function parseWhole(text: string, name: string): number {
  if (!/^-?\d{1,9}$/.test(text.replace(/,/g, ''))) throw new Refused('notWhole', name, text.slice(0, 40));
  return Number(text.replace(/,/g, ''));
}

/** Whether a bit is set, in a bit set written in hexadecimal digits. */
export function hasBit(bits: string, n: number): boolean {
  const digit = bits[bits.length - 1 - (n >> 2)];
  return digit !== undefined && ((parseInt(digit, 16) >> (n & 3)) & 1) === 1;
}
