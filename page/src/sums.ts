/**
 * Rolls of chosen dice that score the sum over their dice, or nothing, as in Hog.
 *
 * The page does not list such rolls: 25 dice fall in 142,506 ways. It numbers the rolls of n dice by the combinatorial
 * number system: with the faces in ascending order, the roll a0 <= a1 <= ... has number C(a0, 1) + C(a1 + 1, 2) + ...
 */
import type { PageData } from './data';
import { largest } from './numbers';
import { type Decision, DIGITS, GraphTable, type Position } from './play';
import type { Problem, Root } from './problem';

/** Decisions after rolls of one number of dice: the first, and the number of rolls. */
interface Block {
  dice: number;
  first: number;
  size: number;
}

export class SumTable extends GraphTable {
  private readonly points: (number | null)[];
  private readonly weights: number[];
  /** Pascal's triangle. */
  private readonly binomials: number[][] = [];
  /** By number of dice; the decisions that the page lists come before all of them. */
  private readonly blocks: Block[] = [];

  constructor(data: PageData, problem: Problem) {
    super(data, problem);
    ({ points: this.points, weights: this.weights } = data.graph.sums!);
    const { decisions, throws } = this.graph;
    const most = largest(throws.map(({ dice }) => dice));
    for (let n = 0; n <= most + this.points.length; n++) {
      const above = this.binomials[n - 1];
      this.binomials.push(
        Array.from({ length: n + 1 }, (_, k) => (above?.[k - 1] ?? 0) + (above?.[k] ?? 0) || 1),
      );
    }
    let first = decisions.length;
    for (let dice = 1; dice <= most; dice++) {
      const size = this.binomial(dice + this.points.length - 1, dice);
      this.blocks[dice] = { dice, first, size };
      first += size;
    }
  }

  private binomial(n: number, k: number): number {
    return this.binomials[n][k] ?? 0;
  }

  /** The block of the rolls that a position is before. */
  private blockOf(p: Position): Block {
    return this.blocks[this.graph.throws[p.n].dice];
  }

  /** The number of a roll, given by its faces, among those of so many dice. */
  private rank(faces: number[]): number {
    return [...faces]
      .sort((a, b) => a - b)
      .reduce((rank, face, place) => rank + this.binomial(face + place, place + 1), 0);
  }

  /** The faces of a roll, in ascending order. */
  private facesOfRank(rank: number, dice: number): number[] {
    const faces: number[] = [];
    let face = this.points.length - 1;
    for (let place = dice - 1; place >= 0; place--) {
      while (this.binomial(face + place, place + 1) > rank) face--;
      rank -= this.binomial(face + place, place + 1);
      faces.unshift(face);
    }
    return faces;
  }

  protected override decision(n: number): Decision {
    const { decisions, throws } = this.graph;
    if (n < decisions.length) return super.decision(n);
    const { dice, first } = this.blocks.find((block) => block && n < block.first + block.size)!;
    const faces = this.facesOfRank(n - first, dice);
    const digits = faces.map((face) => DIGITS[face]).join('');
    const sum = (some: number[]) => some.reduce((total, face) => total + this.points[face]!, 0);
    const [scoring, bust] = throws.find((row) => row.dice === dice)!.examples!;
    if (faces.some((face) => this.points[face] === null)) return { ...super.decision(bust), dice: digits };
    const example = super.decision(scoring);
    const more = sum(faces) - sum([...example.dice].map((digit) => DIGITS.indexOf(digit)));
    const rows = example.rows.map((row) => {
      const own: typeof row = [...row];
      [own[1], own[2]] = [digits, row[2] + more];
      return own;
    });
    return { ...example, rows, dice: digits };
  }

  override rollCount(p: Position): number {
    return this.blockOf(p).size;
  }

  override rollAt(p: Position, n: number): { weight: number; after: Position } {
    const { dice, first } = this.blockOf(p);
    const after: Position = { b: p.b, at: 'choose', n: first + n, points: p.points, isTurnStart: false };
    return { weight: this.weigh(this.facesOfRank(n, dice)), after };
  }

  /** The number of ordered rolls with these faces. Each factor is exact, so the product has a few rounding errors. */
  private weigh(faces: number[]): number {
    let left = faces.length;
    return this.weights.reduce((weight, sides, face) => {
      const count = faces.filter((other) => other === face).length;
      weight *= this.binomial(left, count) * sides ** count;
      left -= count;
      return weight;
    }, 1);
  }

  protected override rollOf(p: Position, dice: string): number {
    const faces = [...dice].map((digit) => DIGITS.indexOf(digit));
    const isRoll = faces.length === this.graph.throws[p.n].dice && faces.every((face) => face in this.points);
    return isRoll ? this.rank(faces) : -1;
  }

  protected override rootsOf(fields: string): Root[] {
    const [form, roll] = fields.split('/roll=');
    if (roll === undefined) return super.rootsOf(fields);
    const faces = this.splitRoll(roll).map((name) => this.graph.faces.indexOf(name));
    const block = this.blocks[faces.length];
    if (!block || faces.includes(-1) || form !== `dice=${block.dice}`) return [];
    return [{ at: 'choose', n: block.first + this.rank(faces) }];
  }
}
