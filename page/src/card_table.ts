/** A scorecard as a playable game: the dice to keep, and the boxes to enter them in. */
import type { Act, BoxEntry } from './choices';
import { Lattice } from './card_dice';
import type { Entry, Facts, Scorecard } from './card_facts';
import type { CardProblem } from './card_problem';
import type { Arrays, PageData } from './data';
import { type Between, Refused } from './problem';
import { largest } from './numbers';
import { type Choice, formatId, parseId, type Position, type Table, parseWhole, withText } from './play';
import { diceCount } from './refusals';

const THROWS = 16; // the number of a position inside a turn: n = node * THROWS + roll number

/** A scorecard as a playable game. */
export class CardTable implements Table {
  readonly facts: Facts;
  readonly lattice: Lattice;
  private readonly scores: Int32Array;
  private readonly shifts: Int32Array;
  private readonly parts: Uint8Array;
  private readonly fullCount: number;

  constructor(
    readonly data: PageData,
    readonly problem: CardProblem,
    arrays: Arrays,
  ) {
    this.facts = problem.facts;
    this.lattice = new Lattice(this.facts, arrays);
    this.scores = arrays.ints('scores');
    this.shifts = arrays.ints('shifts');
    this.parts = arrays.bytes('parts');
    this.fullCount = this.lattice.nodes - this.lattice.firstFull;
    problem.partScores = arrays.ints('part_scores');
  }

  start(): Position {
    return this.begin(this.problem.start());
  }

  begin(b: Between): Position {
    if (this.problem.result(b)) return { b, at: 'over', n: 0, points: 0, isTurnStart: false };
    return { b, at: 'throw', n: 1, points: 0, isTurnStart: true };
  }

  private positionAt(b: Between, at: 'throw' | 'choose', node: number, rollNumber: number): Position {
    return { b, at, n: node * THROWS + rollNumber, points: 0, isTurnStart: false };
  }

  node(p: Position): number {
    return Math.floor(p.n / THROWS);
  }

  rollNumber(p: Position): number {
    return p.n % THROWS;
  }

  mover(): number {
    return 0;
  }

  choices(p: Position): Choice[] {
    return this.rollNumber(p) < this.facts.throws ? this.keepChoices(p) : this.entryChoices(p);
  }

  private keepChoices(p: Position): Choice[] {
    const counts = this.lattice.countsOf(this.node(p));
    let subsets: number[][] = [[]];
    for (const count of counts)
      subsets = subsets.flatMap((subset) => Array.from({ length: count + 1 }, (_, n) => [...subset, n]));
    const size = (subset: number[]) => subset.reduce((a, b) => a + b, 0);
    return subsets
      .map((keptCount, n) => ({ kept: keptCount, n, size: size(keptCount) }))
      .sort((a, b) => b.size - a.size || a.n - b.n)
      .map(({ kept: keptCount, size: keptSize }) => {
        const dice = this.lattice.diceOf(keptCount);
        const rollCount = this.facts.dice - keptSize;
        const node = this.lattice.nodeOf(keptCount);
        if (!rollCount)
          return {
            ...withText({ kind: 'keep', data: { type: 'CardDice', dice: 0 }, keep: dice }),
            points: 0,
            diceLeft: 0,
            then: 'end',
            after: this.positionAt(p.b, 'choose', node, this.facts.throws),
          };
        return {
          ...withText({ kind: 'roll', data: { type: 'CardDice', dice: rollCount }, keep: dice }),
          points: 0,
          diceLeft: rollCount,
          then: 'roll',
          after: this.positionAt(p.b, 'throw', node, this.rollNumber(p) + 1),
        };
      });
  }

  /** The entries that a state offers, for all rolls. */
  entries({ used, flag }: { used: number; flag: number }): Entry[] {
    return this.facts.entries.filter(
      ([, , open, needs, box]) => !(used & open) && (used & needs) === needs && (box < 0 || box === flag),
    );
  }

  /** The ways to enter the dice on the table, whatever the number of the roll. */
  entryChoices(p: Position): Choice[] {
    const card = p.b as Scorecard;
    const fullCount = this.node(p) - this.lattice.firstFull;
    const choices = this.entries(card).flatMap(([column, fills, , , , sets, first, last]) => {
      const points = this.scores[column * this.fullCount + fullCount];
      if (fullCount < first || fullCount >= last || points < 0) return [];
      const shift = this.shifts[column * this.fullCount + fullCount];
      const after = this.begin(this.problem.fill(card, fills, points, shift, sets));
      const entries = this.boxEntries(column, fullCount, points);
      const keep = entries.flatMap((entry) => entry.dice);
      const act: Act = { kind: 'enter', data: { type: 'BoxEntries', entries }, keep };
      return [{ ...withText(act), points, diceLeft: 0, then: 'end', after }];
    });
    return choices.sort((a, b) => b.points - a.points);
  }

  private boxEntries(column: number, fullCount: number, points: number): BoxEntry[] {
    const { names, boxes, pairs } = this.facts;
    if (boxes === 1) return [{ box: names[column % names.length], points, dice: [] }];
    const [a, b] = pairs[column];
    const [first, second] = this.split(a, b, fullCount);
    return [a, b].map((n, k) => {
      const partCounts = [first, second][k];
      return {
        box: names[n],
        points: this.partScore(n, partCounts),
        dice: this.lattice.diceOf(this.partCounts(partCounts)),
      };
    });
  }

  private partCounts(n: number): number[] {
    const { faces } = this.facts;
    return [...this.parts.subarray(n * faces, (n + 1) * faces)];
  }

  private partScore(category: number, partCounts: number): number {
    const each = this.parts.length / this.facts.faces;
    return this.problem.partScores![category * each + partCounts];
  }

  private readonly partNumbers = new Map<string, number>();

  /** Return the split of a roll between two categories that scores most; the first one of equal splits. */
  private split(a: number, b: number, fullCount: number): [number, number] {
    const each = this.parts.length / this.facts.faces;
    if (!this.partNumbers.size)
      for (let n = 0; n < each; n++) this.partNumbers.set(this.partCounts(n).join(), n);
    const half = this.facts.dice / 2;
    const counts = this.lattice.countsOf(this.lattice.firstFull + fullCount);
    let firsts: number[][] = [[]];
    for (const count of counts)
      firsts = firsts.flatMap((subset) =>
        Array.from({ length: Math.min(count, half) + 1 }, (_, n) => [...subset, Math.min(count, half) - n]),
      );
    let best: [number, number] = [0, 0];
    let mostPoints = -1;
    for (const first of firsts) {
      if (first.reduce((x, y) => x + y, 0) !== half) continue;
      const firstPart = this.partNumbers.get(first.join())!;
      const secondPart = this.partNumbers.get(counts.map((count, n) => count - first[n]).join())!;
      const points = this.partScore(a, firstPart) + this.partScore(b, secondPart);
      if (points > mostPoints) [mostPoints, best] = [points, [firstPart, secondPart]];
    }
    return best;
  }

  rollCount(p: Position): number {
    const [from, to] = this.lattice.nodesOfSize(this.facts.dice - this.keptCount(p));
    return to - from;
  }

  private keptCount(p: Position): number {
    return p.isTurnStart ? 0 : this.lattice.size(this.node(p));
  }

  rollAt(p: Position, n: number): { weight: number; after: Position } {
    const [from] = this.lattice.nodesOfSize(this.facts.dice - this.keptCount(p));
    const rolled = this.lattice.countsOf(from + n);
    const tableCounts = this.lattice.countsOf(p.isTurnStart ? 0 : this.node(p));
    const node = this.lattice.nodeOf(rolled.map((count, face) => count + tableCounts[face]));
    const after = this.positionAt(p.b, 'choose', node, p.isTurnStart ? 1 : this.rollNumber(p));
    return { weight: this.weight(rolled), after };
  }

  private weight(counts: number[]): number {
    let ways = 1;
    let placed = 0;
    counts.forEach((count, face) => {
      for (let n = 1; n <= count; n++) ways = (ways * ++placed * this.facts.weights[face]) / n;
    });
    return Math.round(ways);
  }

  nextRoll(p: Position): { dice: number; act: Act; tableDice: string[] } {
    const rollCount = this.facts.dice - this.keptCount(p);
    const tableDice = p.isTurnStart ? [] : this.lattice.diceOf(this.lattice.countsOf(this.node(p)));
    return {
      dice: rollCount,
      act: {
        kind: 'roll',
        data: { type: 'CardThrow', dice: rollCount, is_all: rollCount === this.facts.dice },
        keep: [],
      },
      tableDice: tableDice,
    };
  }

  rollText(p: Position): string {
    return this.rolledDice(p).join(' ');
  }

  rolledDice(p: Position): string[] {
    return p.at === 'choose' ? this.lattice.diceOf(this.lattice.countsOf(this.node(p))) : [];
  }

  private countsOf(dice: string[]): number[] {
    return Array.from(
      { length: this.facts.faces },
      (_, face) => dice.filter((die) => die === String(face + 1)).length,
    );
  }

  afterRoll(p: Position, dice: string[]): Position | null {
    const counts = this.countsOf(dice);
    const tableCounts = this.lattice.countsOf(p.isTurnStart ? 0 : this.node(p));
    if (dice.length !== this.facts.dice || counts.some((count, face) => count < tableCounts[face]))
      return null;
    return this.positionAt(
      p.b,
      'choose',
      this.lattice.nodeOf(counts),
      p.isTurnStart ? 1 : this.rollNumber(p),
    );
  }

  parseRoll(p: Position, words: string): Position {
    const dice = [...words.replace(/[\s,]/g, '')];
    const wrongFace = dice.find((face) => !this.data.graph.faces.includes(face));
    if (wrongFace) throw new Refused('noSuchFace', wrongFace, this.data.graph.faces);
    const { dice: count, tableDice: tableDice } = this.nextRoll(p);
    const after = this.afterRoll(p, dice) ?? this.afterRoll(p, [...tableDice, ...dice]);
    if (after) return after;
    throw new Refused('otherCount', words.trim().slice(0, 60), diceCount(dice.length), diceCount(count));
  }

  wordedRolls(): null {
    return null;
  }

  facesOf(): string[] {
    return this.data.graph.faces;
  }

  setupRolls(): { n: number; act: Act }[] {
    return [];
  }

  beforeRoll(b: Between): Position {
    return this.begin(b);
  }

  parseFaces(word: string): string[] | null {
    return [...word].every((face) => this.data.graph.faces.includes(face)) ? [...word] : null;
  }

  note(p: Position): string {
    const card = p.b as Scorecard;
    if (p.at !== 'choose' || !this.facts.note || this.rollNumber(p) < this.facts.throws) return '';
    const allEqual = largest(this.lattice.countsOf(this.node(p))) === this.facts.dice;
    return allEqual && card.used & this.facts.again ? this.facts.note : '';
  }

  wipeProbability(): null {
    return null;
  }

  mishapProbability(): null {
    return null;
  }

  formatFields(p: Position): [string, string][] {
    const fields = this.problem.formatFields(p.b);
    if (p.isTurnStart || p.at === 'over') return fields;
    const digits = this.lattice.diceOf(this.lattice.countsOf(this.node(p))).join('');
    const rollNumber: [string, string] = ['throw', String(this.rollNumber(p))];
    if (p.at === 'choose') return [...fields, rollNumber, ['roll', digits]];
    return [...fields, rollNumber, digits ? ['kept', digits] : ['throwing', 'true']];
  }

  id(p: Position): string {
    return formatId(this.data, this.formatFields(p));
  }

  position(id: string): Position {
    const fields = parseId(this.data, id);
    const b = this.problem.parseFields(fields);
    const rollNumber = parseWhole(fields.get('throw') ?? '1', 'throw');
    const { throws, dice } = this.facts;
    if (rollNumber < 1 || rollNumber > throws) throw new Refused('between', 'throw', rollNumber, 1, throws);
    if (fields.has('roll')) {
      const roll = [...fields.get('roll')!];
      if (roll.length !== dice) throw new Refused('wrongDice', roll.length, dice);
      const node = this.lattice.nodeOf(this.countsOf(roll));
      if (node < 0) throw new Refused('noSuchFaces', this.data.graph.faces);
      return this.positionAt(b, 'choose', node, rollNumber);
    }
    if (rollNumber === 1) return this.begin(b);
    const keptDice = [...(fields.get('kept') ?? '')];
    if (!keptDice.length && !fields.has('throwing')) throw new Refused('rollMissing', rollNumber);
    const node = this.lattice.nodeOf(this.countsOf(keptDice));
    if (node < 0 || keptDice.length >= dice) throw new Refused('noneToThrow', keptDice.length, dice);
    return this.positionAt(b, 'throw', node, rollNumber);
  }

  same(a: Position, b: Position): boolean {
    return this.id(a) === this.id(b) && a.at === b.at;
  }
}
