/** A scorecard as a playable game: the dice to keep, and the boxes to enter them in. */
import type { Act, BoxEntry } from './choices';
import { Lattice } from './card_dice';
import type { Entry, Facts, Filled } from './card_facts';
import type { CardProblem } from './card_problem';
import type { Arrays, PageData } from './data';
import { type Between, Refused } from './problem';
import { largest } from './numbers';
import { type Choice, idOf, parseId, type Position, type Table, whole, withText } from './play';
import { diceCount } from './refusals';

const THROWS = 16; // the number of a position inside a turn: n = node * THROWS + roll number

/** A scorecard as a playable game. */
export class CardTable implements Table {
  readonly facts: Facts;
  readonly lattice: Lattice;
  private readonly scored: Int32Array;
  private readonly shifts: Int32Array;
  private readonly parts: Uint8Array;
  private readonly full: number;

  constructor(
    readonly data: PageData,
    readonly problem: CardProblem,
    arrays: Arrays,
  ) {
    this.facts = problem.facts;
    this.lattice = new Lattice(this.facts, arrays);
    this.scored = arrays.ints('scores');
    this.shifts = arrays.ints('shifts');
    this.parts = arrays.bytes('parts');
    this.full = this.lattice.nodes - this.lattice.firstFull;
    problem.partScores = arrays.ints('part_scores');
  }

  start(): Position {
    return this.begin(this.problem.start());
  }

  begin(b: Between): Position {
    if (this.problem.over(b)) return { b, at: 'over', n: 0, points: 0, begins: false };
    return { b, at: 'throw', n: 1, points: 0, begins: true };
  }

  private inside_(b: Between, at: 'throw' | 'choose', node: number, rollNumber: number): Position {
    return { b, at, n: node * THROWS + rollNumber, points: 0, begins: false };
  }

  node(p: Position): number {
    return Math.floor(p.n / THROWS);
  }

  throwOf(p: Position): number {
    return p.n % THROWS;
  }

  mover(): number {
    return 0;
  }

  choices(p: Position): Choice[] {
    return this.throwOf(p) < this.facts.throws ? this.keeps(p) : this.enters(p);
  }

  private keeps(p: Position): Choice[] {
    const counts = this.lattice.of(this.node(p));
    let subsets: number[][] = [[]];
    for (const count of counts)
      subsets = subsets.flatMap((subset) => Array.from({ length: count + 1 }, (_, n) => [...subset, n]));
    const size = (subset: number[]) => subset.reduce((a, b) => a + b, 0);
    return subsets
      .map((kept, n) => ({ kept, n, size: size(kept) }))
      .sort((a, b) => b.size - a.size || a.n - b.n)
      .map(({ kept, size: keptSize }) => {
        const dice = this.lattice.show(kept);
        const rollCount = this.facts.dice - keptSize;
        const node = this.lattice.number(kept);
        if (!rollCount)
          return {
            ...withText({ kind: 'keep', data: { type: 'CardDice', dice: 0 }, keep: dice }),
            points: 0,
            diceLeft: 0,
            then: 'end',
            after: this.inside_(p.b, 'choose', node, this.facts.throws),
          };
        return {
          ...withText({ kind: 'roll', data: { type: 'CardDice', dice: rollCount }, keep: dice }),
          points: 0,
          diceLeft: rollCount,
          then: 'roll',
          after: this.inside_(p.b, 'throw', node, this.throwOf(p) + 1),
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
  entering(p: Position): Choice[] {
    return this.enters(p);
  }

  private enters(p: Position): Choice[] {
    const card = p.b as Filled;
    const full = this.node(p) - this.lattice.firstFull;
    const choices = this.entries(card).flatMap(([column, fills, , , , sets, first, last]) => {
      const points = this.scored[column * this.full + full];
      if (full < first || full >= last || points < 0) return [];
      const shift = this.shifts[column * this.full + full];
      const after = this.begin(this.problem.filled(card, fills, points, shift, sets));
      const entries = this.entered(column, full, points);
      const keep = entries.flatMap((entry) => entry.dice);
      const act: Act = { kind: 'enter', data: { type: 'BoxEntries', entries }, keep };
      return [{ ...withText(act), points, diceLeft: 0, then: 'end', after }];
    });
    return choices.sort((a, b) => b.points - a.points);
  }

  private entered(column: number, full: number, points: number): BoxEntry[] {
    const { names, boxes, pairs } = this.facts;
    if (boxes === 1) return [{ box: names[column % names.length], points, dice: [] }];
    const [a, b] = pairs[column];
    const [first, second] = this.split(a, b, full);
    return [a, b].map((n, k) => {
      const part = [first, second][k];
      return { box: names[n], points: this.partScore(n, part), dice: this.lattice.show(this.part(part)) };
    });
  }

  private part(n: number): number[] {
    const { faces } = this.facts;
    return [...this.parts.subarray(n * faces, (n + 1) * faces)];
  }

  private partScore(category: number, part: number): number {
    const each = this.parts.length / this.facts.faces;
    return this.problem.partScores![category * each + part];
  }

  private readonly partNumbers = new Map<string, number>();

  /** Return the split of a roll between two categories that scores most; the first one of equal splits. */
  private split(a: number, b: number, full: number): [number, number] {
    const each = this.parts.length / this.facts.faces;
    if (!this.partNumbers.size) for (let n = 0; n < each; n++) this.partNumbers.set(this.part(n).join(), n);
    const half = this.facts.dice / 2;
    const counts = this.lattice.of(this.lattice.firstFull + full);
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

  falls(p: Position): number {
    const [from, to] = this.lattice.sized(this.facts.dice - this.kept(p));
    return to - from;
  }

  private kept(p: Position): number {
    return p.begins ? 0 : this.lattice.size(this.node(p));
  }

  fall(p: Position, n: number): { weight: number; after: Position } {
    const [from] = this.lattice.sized(this.facts.dice - this.kept(p));
    const rolled = this.lattice.of(from + n);
    const tableCounts = this.lattice.of(p.begins ? 0 : this.node(p));
    const node = this.lattice.number(rolled.map((count, face) => count + tableCounts[face]));
    const after = this.inside_(p.b, 'choose', node, p.begins ? 1 : this.throwOf(p));
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

  thrown(p: Position): { dice: number; act: Act; lies: string[] } {
    const rollCount = this.facts.dice - this.kept(p);
    const tableDice = p.begins ? [] : this.lattice.show(this.lattice.of(this.node(p)));
    return {
      dice: rollCount,
      act: {
        kind: 'roll',
        data: { type: 'CardThrow', dice: rollCount, is_all: rollCount === this.facts.dice },
        keep: [],
      },
      lies: tableDice,
    };
  }

  spelled(p: Position): string {
    return this.shown(p).join(' ');
  }

  shown(p: Position): string[] {
    return p.at === 'choose' ? this.lattice.show(this.lattice.of(this.node(p))) : [];
  }

  private countsOf(dice: string[]): number[] {
    return Array.from(
      { length: this.facts.faces },
      (_, face) => dice.filter((die) => die === String(face + 1)).length,
    );
  }

  read(p: Position, dice: string[]): Position | null {
    const counts = this.countsOf(dice);
    const tableCounts = this.lattice.of(p.begins ? 0 : this.node(p));
    if (dice.length !== this.facts.dice || counts.some((count, face) => count < tableCounts[face]))
      return null;
    return this.inside_(p.b, 'choose', this.lattice.number(counts), p.begins ? 1 : this.throwOf(p));
  }

  readFall(p: Position, words: string): Position {
    const dice = [...words.replace(/[\s,]/g, '')];
    const wrongFace = dice.find((face) => !this.data.graph.faces.includes(face));
    if (wrongFace) throw new Refused('noSuchFace', wrongFace, this.data.graph.faces);
    const { dice: count, lies: tableDice } = this.thrown(p);
    const after = this.read(p, dice) ?? this.read(p, [...tableDice, ...dice]);
    if (after) return after;
    throw new Refused('otherCount', words.trim().slice(0, 60), diceCount(dice.length), diceCount(count));
  }

  options(): null {
    return null;
  }

  facesOf(): string[] {
    return this.data.graph.faces;
  }

  throwable(): { n: number; act: Act }[] {
    return [];
  }

  inside(b: Between): Position {
    return this.begin(b);
  }

  faces(word: string): string[] | null {
    return [...word].every((face) => this.data.graph.faces.includes(face)) ? [...word] : null;
  }

  note(p: Position): string {
    const card = p.b as Filled;
    if (p.at !== 'choose' || !this.facts.note || this.throwOf(p) < this.facts.throws) return '';
    const allEqual = largest(this.lattice.of(this.node(p))) === this.facts.dice;
    return allEqual && card.used & this.facts.again ? this.facts.note : '';
  }

  wipe(): null {
    return null;
  }

  mishap(): null {
    return null;
  }

  tell(p: Position): [string, string][] {
    const fields = this.problem.tell(p.b);
    if (p.begins || p.at === 'over') return fields;
    const digits = this.lattice.show(this.lattice.of(this.node(p))).join('');
    const rollNumber: [string, string] = ['throw', String(this.throwOf(p))];
    if (p.at === 'choose') return [...fields, rollNumber, ['roll', digits]];
    return [...fields, rollNumber, digits ? ['kept', digits] : ['throwing', 'true']];
  }

  id(p: Position): string {
    return idOf(this.data, this.tell(p));
  }

  position(id: string): Position {
    const fields = parseId(this.data, id);
    const b = this.problem.read(fields);
    const rollNumber = whole(fields.get('throw') ?? '1', 'throw');
    const { throws, dice } = this.facts;
    if (rollNumber < 1 || rollNumber > throws) throw new Refused('between', 'throw', rollNumber, 1, throws);
    if (fields.has('roll')) {
      const roll = [...fields.get('roll')!];
      if (roll.length !== dice) throw new Refused('wrongDice', roll.length, dice);
      const node = this.lattice.number(this.countsOf(roll));
      if (node < 0) throw new Refused('noSuchFaces', this.data.graph.faces);
      return this.inside_(b, 'choose', node, rollNumber);
    }
    if (rollNumber === 1) return this.begin(b);
    const keptDice = [...(fields.get('kept') ?? '')];
    if (!keptDice.length && !fields.has('throwing')) throw new Refused('rollMissing', rollNumber);
    const node = this.lattice.number(this.countsOf(keptDice));
    if (node < 0 || keptDice.length >= dice) throw new Refused('noneToThrow', keptDice.length, dice);
    return this.inside_(b, 'throw', node, rollNumber);
  }

  same(a: Position, b: Position): boolean {
    return this.id(a) === this.id(b) && a.at === b.at;
  }
}
