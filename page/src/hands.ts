/**
 * Hands of dice of several kinds: the rolls, the choices and the turn of any hand.
 *
 * The page holds the sets that score, and the dice of each seat. What may be set aside depends on the faces of a roll
 * only, so all hands share one list of position classes (solver/games/hand_shapes.py). A hand merely weighs them.
 */
import type { EncodedChoice } from './choices';
import type { Arrays, ChoiceRow, Form, Graph, PageData, ThrowRow } from './data';
import { type Climb, climb, digits, reach, SPARE } from './monotone';
import { largest } from './numbers';
import { type Decision, DIGITS, GraphTable, type Position } from './play';
import type { Problem, Root } from './problem';

/** Dice that are alike: the name of their faces and their own, their number, and the sides that show each face. */
export type Kind = [faceName: string, name: string, count: number, weights: number[]];

/** The sets of dice that score, and what else the turns of all seats have in common. */
export interface DiceSets {
  faces: string[];
  /** The faces of each set that scores, as their numbers; its points; its name, if it has one. */
  sets: [faces: number[], points: number, name: string][];
  /** Whether a player may stop with too few points to bank. */
  stops: boolean;
  /** Whether people count the dice of each face. */
  is_counted: boolean;
}

/** The dice of one seat. */
export interface SeatDice {
  kinds: Kind[];
  is_unlike: boolean;
}

/** What the page holds about dice. */
export interface Dice extends DiceSets {
  seats: SeatDice[];
}

/** The dice of one roll of a hand. */
interface Rolled {
  count: number;
  /** By kind. */
  counts: number[];
  names: string[];
}

interface Rolls {
  digits: string[];
  weights: number[];
  numbers: Map<string, number>;
}

/** All ordered rolls of some dice. A roll is a number whose digits are the faces, the first die's face first. */
interface PositionClasses {
  ofRoll: Int32Array;
  /** By class, the dice that may be set aside, as bits, and the points. A class without choices is a bust. */
  choices: [mask: number, points: number][][];
}

const WORDS = ['bank', 'stop', 'roll', 'throw', 'end', 'bust'];
const [BANK, STOP, ROLL, THROW, END, BUST] = WORDS.map((_, n) => n);
const NO_SET = 'No dice of this roll may be set aside.';
const [ALWAYS, COUNTS, NOT] = [0, 1, 2];
const SPECIALS = 3; // bust, win, wipe
const UNLIMITED = 2 ** 31 - 1;

/** The numbers 0, 1, ... below an end. */
function range(end: number): number[] {
  return Array.from({ length: end }, (_, n) => n);
}

/** All combinations of one entry of each list. */
function product<T>(lists: T[][]): T[][] {
  return lists.reduce<T[][]>((rows, list) => rows.flatMap((row) => list.map((item) => [...row, item])), [[]]);
}

/** The points of sets by their faces. The code of a set is the sum of a power of the radix for each of its dice. */
class Sets {
  private readonly powers: number[];
  /** By code, the rank of the points of the set. */
  private readonly ranks: Int32Array;
  private readonly points: number[];
  private readonly names = new Map<number, string>();
  private readonly classes: PositionClasses[] = [];

  constructor(dice: Dice) {
    const radix = largest(dice.sets.map(([faces]) => faces.length)) + 1;
    this.powers = dice.faces.map((_, face) => radix ** face);
    this.points = [...new Set([0, ...dice.sets.map(([, points]) => points)])];
    this.ranks = new Int32Array(radix ** dice.faces.length);
    for (const [faces, points, name] of dice.sets) {
      const code = this.code(faces);
      this.ranks[code] = this.points.indexOf(points);
      if (name) this.names.set(code, name);
    }
  }

  private code(faces: number[]): number {
    return faces.reduce((sum, face) => sum + this.powers[face], 0);
  }

  /** The points of a set; 0 if it does not score. */
  pointsOf(faces: number[]): number {
    return this.points[this.ranks[this.code(faces)]];
  }

  nameOf(faces: number[]): string {
    return this.names.get(this.code(faces)) ?? '';
  }

  /** The ordered rolls of so many dice, and what they offer. */
  classesOf(count: number): PositionClasses {
    return (this.classes[count] ??= this.classify(count));
  }

  private classify(count: number): PositionClasses {
    const { points, powers, ranks } = this;
    const ofRoll = new Int32Array(powers.length ** count);
    const codes = new Int32Array(1 << count); // by mask of dice
    const numbers = new Map<string, number>();
    const choices: PositionClasses['choices'] = [];
    let roll = 0;
    const classOf = (): number => {
      const pairs: number[] = [];
      for (let mask = 1; mask < codes.length; mask++)
        if (ranks[codes[mask]]) pairs.push(mask, ranks[codes[mask]]);
      const key = pairs.join();
      let number = numbers.get(key);
      if (number === undefined) {
        number = numbers.size;
        numbers.set(key, number);
        choices.push(range(pairs.length / 2).map((n) => [pairs[2 * n], points[pairs[2 * n + 1]]]));
      }
      return number;
    };
    const rollDie = (die: number): void => {
      if (die === count) {
        ofRoll[roll++] = classOf();
        return;
      }
      const bit = 1 << die;
      for (const power of powers) {
        for (let mask = 0; mask < bit; mask++) codes[mask + bit] = codes[mask] + power;
        rollDie(die + 1);
      }
    };
    rollDie(0);
    return { ofRoll, choices };
  }
}

/** The hand of one seat. */
class Hand {
  readonly rolled: Rolled[];
  private readonly numbers: Map<string, number>;
  /** By roll, the probability of a bust. */
  readonly bustChances: number[] = [];
  private readonly rolls: Rolls[] = [];
  /** The kind and the face of each digit. */
  private readonly parts: Map<string, [kind: number, face: number]>;

  constructor(
    private readonly dice: Dice,
    private readonly sets: Sets,
    readonly kinds: Kind[],
    readonly isUnlike: boolean,
    /** All faces of all seats, by whose digits dice are written. */
    readonly symbols: string[],
    private readonly grain: number,
  ) {
    const sum = (counts: number[]) => counts.reduce((a, b) => a + b, 0);
    this.rolled = product(kinds.map(([, , count]) => range(count + 1)))
      .map((counts) => ({
        count: sum(counts),
        counts,
        names: kinds.flatMap(([, name], kind) => Array<string>(counts[kind]).fill(name)),
      }))
      .filter(({ count }) => count)
      .sort((a, b) => a.count - b.count);
    this.numbers = new Map(this.rolled.map(({ counts }, n) => [counts.join(), n]));
    this.parts = new Map(
      kinds.flatMap(([, , , weights], kind) =>
        range(weights.length)
          .filter((face) => weights[face])
          .map((face): [string, [number, number]] => [this.digitOf(kind, face), [kind, face]]),
      ),
    );
  }

  private digitOf(kind: number, face: number): string {
    const [faceName] = this.kinds[kind];
    const name = this.dice.faces[face];
    return DIGITS[this.symbols.indexOf(faceName ? `${name}-${faceName}` : name)];
  }

  /** The number of the roll of all dice. */
  get whole(): number {
    return this.rolled.length - 1;
  }

  /** The number of the roll of these dice, by kind; all dice are rolled if none are left. */
  private after(counts: number[]): number {
    return this.numbers.get(counts.join()) ?? this.whole;
  }

  /** The number of the roll that these dice, as digits, were made with; -1 if the hand has no such dice. */
  rollWith(digits: string): number {
    const counts = this.kinds.map(() => 0);
    for (const digit of digits) {
      const part = this.parts.get(digit);
      if (!part) return -1;
      counts[part[0]]++;
    }
    return this.numbers.get(counts.join()) ?? -1;
  }

  /** Dice in the order of the hand. */
  sortDice(digits: string): string {
    const order = [...this.parts.keys()];
    return [...digits].sort((a, b) => order.indexOf(a) - order.indexOf(b)).join('');
  }

  /** The number of different results of a roll. */
  resultCount(number: number): number {
    return this.rolled[number].counts.reduce((product, count, kind) => {
      const sides = this.kinds[kind][3].filter(Boolean).length;
      return product * choose(count + sides - 1, count);
    }, 1);
  }

  /** All results of a roll, by the counts of their faces, each with the number of ordered rolls that it stands for. */
  rollsOf(number: number): Rolls {
    return (this.rolls[number] ??= this.listRolls(number));
  }

  private listRolls(number: number): Rolls {
    const { counts } = this.rolled[number];
    const byKind = this.kinds.map(([, , , weights], kind) => {
      const rows: [string, number][] = [];
      const add = (face: number, left: number, digits: string, weight: number): void => {
        if (face === weights.length) {
          if (!left) rows.push([digits, weight]);
          return;
        }
        const digit = weights[face] ? this.digitOf(kind, face) : '';
        for (let shown = weights[face] ? left : 0; shown >= 0; shown--)
          add(
            face + 1,
            left - shown,
            digits + digit.repeat(shown),
            weight * choose(left, shown) * weights[face] ** shown,
          );
      };
      add(0, counts[kind], '', 1);
      return rows;
    });
    const rows = byKind.reduce((whole, part) =>
      whole.flatMap(([digits, weight]) =>
        part.map(([more, times]): [string, number] => [digits + more, weight * times]),
      ),
    );
    return {
      digits: rows.map(([digits]) => digits),
      weights: rows.map(([, weight]) => weight),
      numbers: new Map(rows.map(([digits], n) => [digits, n])),
    };
  }

  /** The sets of a roll, most points first, then fewest dice, then those with most of the first faces. */
  setsOf(digits: string): { digits: string; points: number; name: string; after: number }[] {
    const { parts } = this;
    const counts = this.rolled[this.rollWith(digits)].counts;
    const distinct = [...new Set(digits)];
    const shown = distinct.map((digit) => digits.split(digit).length - 1);
    const sets = product(shown.map((count) => range(count + 1).reverse())).flatMap((taken) => {
      const setDigits = distinct.map((digit, n) => digit.repeat(taken[n])).join('');
      const faces = [...setDigits].map((digit) => parts.get(digit)![1]);
      const points = this.sets.pointsOf(faces);
      if (!points) return [];
      const left = counts.slice();
      for (const digit of setDigits) left[parts.get(digit)![0]]--;
      return [{ digits: setDigits, points, name: this.sets.nameOf(faces), after: this.after(left) }];
    });
    return sets.sort((a, b) => b.points - a.points || a.digits.length - b.digits.length);
  }

  /** The choice to roll these dice, after a set with these fields. */
  rollAct(number: number, fields: [string, unknown][] = []): EncodedChoice {
    const { count, names } = this.rolled[number];
    const kinds: [string, unknown][] = this.isUnlike ? [['dice_kinds', names]] : [];
    const fresh: [string, unknown][] = number === this.whole && count > 1 ? [['is_fresh', true]] : [];
    return ['roll', 'TurnRoll', [...fields, ['dice', count], ...kinds, ...fresh]];
  }

  /** The fields of a position before a roll. */
  form(number: number): Form {
    const { count, names } = this.rolled[number];
    return [
      ['turn', '{}'],
      ['dice', this.isUnlike ? names.join() : String(count)],
    ];
  }

  /** The turn for the kernel: its numbers and its arrays (csrc/push_kernel.h). A mode is a roll of the hand. */
  compile(): { numbers: Record<string, number>; arrays: Map<string, Float64Array | Int32Array> } {
    const modes = this.rolled.length;
    const lists = { class_start: [0], total: [] as number[], weight: [] as number[], choice_start: [0] };
    const [next, add]: number[][] = [[], []];
    for (const { classes, total, bust } of this.rolled.map((_, mode) => this.weigh(mode))) {
      for (const { choices, weight } of classes) {
        for (const [to, units] of choices) {
          next.push(to);
          add.push(units);
        }
        lists.weight.push(weight);
        lists.choice_start.push(next.length);
      }
      lists.class_start.push(lists.weight.length);
      lists.total.push(total);
      this.bustChances.push(bust / total);
    }
    const each = (value: number) => new Int32Array(modes).fill(value);
    return {
      numbers: {
        modes,
        specials: SPECIALS,
        groups: 1,
        start: this.whole,
        forbid: 0,
        max_add: largest(add),
        over_passes: 1,
      },
      arrays: new Map<string, Float64Array | Int32Array>([
        ['group_start', Int32Array.of(0, modes)],
        ['order', Int32Array.from(range(modes))],
        ['bank', each(SPECIALS)],
        ['bank_from', each(this.dice.stops ? 0 : 1).fill(1, this.whole)],
        ['most', each(UNLIMITED)],
        ['throw_start', Int32Array.from(range(modes + 1))],
        ['class_start', Int32Array.from(lists.class_start)],
        ['total', Float64Array.from(lists.total)],
        ['weight', Float64Array.from(lists.weight)],
        ['choice_start', Int32Array.from(lists.choice_start)],
        ['next', Int32Array.from(next)],
        ['add', Int32Array.from(add)],
        ['keeps', new Int32Array(next.length).fill(1)],
      ]),
    };
  }

  /** Weigh what the rolls of a mode offer: choices are pairs of the next mode and the units that are added. */
  private weigh(mode: number): {
    classes: { choices: number[][]; weight: number }[];
    total: number;
    bust: number;
  } {
    const { count, counts } = this.rolled[mode];
    const { ofRoll, choices } = this.sets.classesOf(count);
    const kindOfDie = this.kinds.flatMap((_, kind) => Array<number>(counts[kind]).fill(kind));
    const weights = new Float64Array(choices.length);
    let roll = 0;
    const rollDie = (die: number, weight: number): void => {
      if (die === count) {
        weights[ofRoll[roll++]] += weight;
        return;
      }
      const sides = this.kinds[kindOfDie[die]][3];
      if (weight) for (const side of sides) rollDie(die + 1, weight * side);
      else roll += sides.length ** (count - die);
    };
    rollDie(0, 1);
    const afterMask = range(1 << count).map((mask) => {
      const left = counts.slice();
      kindOfDie.forEach((kind, die) => (left[kind] -= (mask >> die) & 1));
      return this.after(left);
    });
    const classes = new Map<string, { choices: number[][]; weight: number }>();
    let [total, bust] = [0, 0];
    weights.forEach((weight, number) => {
      if (!weight) return;
      total += weight;
      if (!choices[number].length) bust += weight;
      const codes = new Set(
        choices[number].map(([mask, points]) => (points / this.grain) * this.rolled.length + afterMask[mask]),
      );
      const key = [...codes].sort((a, b) => a - b).join();
      const known = classes.get(key);
      if (known) known.weight += weight;
      else {
        const pairs = [...codes].map((code) => [
          code % this.rolled.length,
          Math.floor(code / this.rolled.length),
        ]);
        classes.set(key, { choices: pairs.length ? pairs : [[this.rolled.length, 0]], weight });
      }
    });
    return { classes: [...classes.values()], total, bust };
  }
}

function choose(n: number, k: number): number {
  let result = 1;
  for (let i = 1; i <= k; i++) result = (result * (n - k + i)) / i;
  return result;
}

/** What is built for the hands of a page: its data and arrays with the turns, and the hands. */
export interface BuiltHands {
  data: PageData;
  arrays: Arrays;
  hands: Hand[];
  /** By seat, the turn in the form of the race kernel. */
  turns: Climb[];
}

/** Build the rolls and turns of the hands of all seats. */
export function buildHands(data: PageData, arrays: Arrays): BuiltHands {
  const dice = data.dice!;
  const sets = new Sets(dice);
  const { seats } = data.match as unknown as { seats?: { grain: number; target: number }[] };
  const facts = seats ?? [data.match as unknown as { grain: number; target: number }];
  const hands = dice.seats.map(
    ({ kinds, is_unlike }, seat) =>
      new Hand(dice, sets, kinds, is_unlike, data.graph.faces, facts[seat].grain),
  );
  const changed = new Map<string, Float64Array | Int32Array>();
  const forms: Form[] = [];
  const throws: ThrowRow[] = [];
  let decision = hands.reduce((sum, { rolled }) => sum + rolled.length, 0); // those before a roll come first
  const climbs: Climb[] = [];
  const turns = hands.map((hand, seat) => {
    const turn = hand.compile();
    const turnName = `turn${seats ? seat + 1 : ''}`;
    for (const [name, array] of turn.arrays) changed.set(`${turnName}.${name}`, array);
    climbs.push(climb(turn.numbers, arrays.but(changed), turnName));
    const { grain, target } = facts[seat];
    const isPossible = reach(climbs[seat], Math.floor(target / grain) + SPARE - 1);
    hand.rolled.forEach(({ count }, mode) => {
      const resultCount = hand.resultCount(mode);
      throws.push({
        form: forms.length,
        falls: [[decision, resultCount]],
        get weights() {
          return hand.rollsOf(mode).weights;
        },
        dice: count,
        before: throws.length,
        mode,
        way: 0,
        act: hand.rollAct(mode),
        offset: 0,
        held: digits(isPossible[mode]),
        forced: false,
      });
      forms.push([...hand.form(mode), ['throwing', 'true']]);
      decision += resultCount;
    });
    return turn.numbers;
  });
  const graph: Graph = {
    faces: data.graph.faces,
    words: WORDS,
    acts: [],
    choices: [],
    lists: [],
    forms,
    decisions: [],
    throws,
  };
  return {
    data: { ...data, graph, ...(seats ? { turns } : { turn: turns[0] }) },
    arrays: arrays.but(changed),
    hands,
    turns: climbs,
  };
}

/** The game of seats whose dice are hands. Decisions are made when they are asked for; those before a roll come first. */
export class HandTable extends GraphTable {
  private readonly acts = new Map<string, number>();
  private readonly decisions = new Map<number, Decision>();

  constructor(
    data: PageData,
    problem: Problem,
    private readonly hands: Hand[],
  ) {
    super(data, problem);
    this.graph.throws.forEach((_, n) => this.addRoot(this.decision(n).form, '', { at: 'choose', n }));
  }

  /** The hand that makes a roll, and the number of its first roll. */
  private handOf(roll: number): { hand: Hand; first: number } {
    let first = 0;
    for (const hand of this.hands) {
      if (roll < first + hand.rolled.length) return { hand, first };
      first += hand.rolled.length;
    }
    throw new Error(`there is no roll ${roll}`);
  }

  /** The roll before a decision. */
  private rollBefore(n: number): number {
    const { throws } = this.graph;
    if (n < throws.length) return n;
    let roll = throws.length - 1;
    while (throws[roll].falls[0][0] > n) roll--;
    return roll;
  }

  protected override decision(n: number): Decision {
    let decision = this.decisions.get(n);
    if (!decision) {
      decision = this.decide(n, this.rollBefore(n));
      this.decisions.set(n, decision);
    }
    return decision;
  }

  private decide(n: number, roll: number): Decision {
    const { hand, first } = this.handOf(roll);
    const number = roll - first;
    const [turn, dice] = hand.form(number);
    if (n === roll) {
      const nothing = { digits: '', points: 0, name: '', after: number };
      return { rows: this.rows(hand, first, [nothing]), note: '', form: [turn, dice], dice: '' };
    }
    const digits = hand.rollsOf(number).digits[n - this.graph.throws[roll].falls[0][0]];
    const sets = hand.setsOf(digits);
    const bust = (): ChoiceRow => [this.act(['bust', 'TurnLoss', []]), '', 0, 0, END, BUST, 0, ALWAYS];
    return {
      rows: sets.length ? this.rows(hand, first, sets) : [bust()],
      note: sets.length ? '' : NO_SET,
      form: [turn, ...(hand.isUnlike ? [] : [dice]), ['roll', '*']],
      dice: digits,
    };
  }

  /** Choices that end the turn before rolls, as the engine lists them. */
  private rows(hand: Hand, first: number, sets: ReturnType<Hand['setsOf']>): ChoiceRow[] {
    const { is_counted, stops } = this.data.dice!;
    const banks: ChoiceRow[] = [];
    const stopRows: ChoiceRow[] = [];
    const rolls: ChoiceRow[] = [];
    for (const { digits, points, name, after } of sets) {
      const fields: [string, unknown][] = [];
      if (name) fields.push(['name', name]);
      if (is_counted && digits) fields.push(['is_counted', true]);
      const bank = this.act(['bank', 'TurnStop', [...fields, ['points', 0]]]);
      const stop = this.act(['stop', 'TurnStop', [...fields, ['points', 0]]]);
      banks.push([bank, digits, points, 0, BANK, BANK, 0, COUNTS]);
      if (stops) stopRows.push([stop, digits, points, 0, STOP, STOP, 0, NOT]);
      const act = this.act(hand.rollAct(after, fields));
      rolls.push([act, digits, points, hand.rolled[after].count, ROLL, THROW, first + after, ALWAYS]);
    }
    return [...banks, ...stopRows, ...rolls];
  }

  private act(act: EncodedChoice): number {
    const key = JSON.stringify(act);
    let number = this.acts.get(key);
    if (number === undefined) {
      number = this.graph.acts.push(act) - 1;
      this.acts.set(key, number);
    }
    return number;
  }

  protected override rollOf(p: Position, dice: string): number {
    const { hand, first } = this.handOf(p.n);
    return hand.rollsOf(p.n - first).numbers.get(dice) ?? -1;
  }

  protected override rootsOf(fields: string): Root[] {
    const [form, roll] = fields.split(/\/?roll=/);
    if (roll === undefined) return super.rootsOf(fields);
    const { faces, throws } = this.graph;
    const names = this.splitRoll(roll);
    if (!names.every((name) => faces.includes(name))) return [];
    const digits = this.digitsOf(names);
    const roots: Root[] = [];
    let first = 0;
    for (const hand of this.hands) {
      const number = hand.rollWith(digits);
      const n = number < 0 ? undefined : hand.rollsOf(number).numbers.get(hand.sortDice(digits));
      if (n !== undefined && (hand.isUnlike ? !form : form === `dice=${hand.rolled[number].count}`))
        roots.push({ at: 'choose', n: throws[first + number].falls[0][0] + n });
      first += hand.rolled.length;
    }
    return roots;
  }

  /** A turn can reach the rolls of its own hand, and the decisions around them. */
  protected override canReach(root: Root, to: Root): boolean {
    const handOf = ({ at, n }: Root) => this.handOf(at === 'throw' ? n : this.rollBefore(n)).hand;
    return handOf(root) === handOf(to);
  }

  override mishapProbability(p: Position): number {
    const { hand, first } = this.handOf(p.n);
    return hand.bustChances[p.n - first];
  }
}
