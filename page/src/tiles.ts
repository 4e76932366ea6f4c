/** Shut the Box between turns: the points that the earlier players had left. */
import type { Arrays, PageData } from './data';
import { type Between, type Ending, Problem, Refused, type Root } from './problem';
import { parseWhole } from './play';
import { Showdowns, parseNumbers } from './seats';
import { smallest } from './numbers';

const TWO = 2;

export interface TilesFacts {
  tiles: number;
  faces: number;
  /** All points with which a turn can end, the largest first. */
  finals: number[];
  goal: number;
  root: [Root['at'], number];
}

interface Line extends Between {
  left: number[];
}

export class TilesProblem extends Problem {
  private readonly facts: TilesFacts;
  private readonly showdowns: Showdowns | null;
  readonly faces: number;

  constructor(
    private readonly data: PageData,
    arrays: Arrays,
  ) {
    super();
    this.facts = data.match as unknown as TilesFacts;
    this.faces = this.facts.faces;
    this.showdowns = arrays.has('showdown')
      ? new Showdowns(arrays.doubles('showdown'), data.players, this.facts.finals.length)
      : null;
  }

  start(): Line {
    return this.line([]);
  }

  private line(left: number[]): Line {
    return { seat: left.length, left, ended: null };
  }

  storedValues(b: Between): number[] | null {
    if (!this.showdowns) return null;
    const { left } = b as Line;
    const { finals } = this.facts;
    const fewest = left.length ? smallest(left) : finals[0];
    const holders = [...left.keys()].filter((seat) => left[seat] === fewest);
    const seats = [...Array(this.data.players).keys()];
    return this.showdowns.shares(seats, left.length, finals.indexOf(fewest), holders);
  }

  root(): Root {
    return { at: this.facts.root[0], n: this.facts.root[1] };
  }

  after(b: Between, { points }: Ending): Line {
    const line = b as Line;
    const { fewer, players } = this.data;
    if (players === 1) return { ...line, ended: [fewer ? 0 - points : Number(points <= this.facts.goal)] };
    const left = [...line.left, points];
    if (left.length < players) return this.line(left);
    const fewest = smallest(left);
    const share = 1 / left.filter((rest) => rest === fewest).length;
    return { seat: line.seat, left, ended: left.map((rest) => (rest === fewest ? share : 0)) };
  }

  endings(): { specials: Ending[]; bank(units: number): Ending; cap(largestUnits: number): number } {
    const { finals } = this.facts;
    const most = finals.length - 1;
    const ending = (score: number) => ({ kind: 'score', points: finals[Math.min(score, most)], n: 0 });
    return { specials: [ending(0)], bank: ending, cap: () => most + 1 };
  }

  formatFields(b: Between): [string, string][] {
    const { left, ended } = b as Line;
    return left.length && !ended ? [['left', left.join(',')]] : [];
  }

  parseFields(fields: Map<string, string>): Line {
    const left = parseNumbers(fields.get('left'), 'left');
    const { players } = this.data;
    if (left.length >= players) throw new Refused('leftCount', players - 1, left.length);
    left.forEach((points) => this.check(points));
    return this.line(left);
  }

  private check(points: number): void {
    const { finals } = this.facts;
    if (finals.includes(points)) return;
    const nearest = [...finals].sort((x, y) => Math.abs(x - points) - Math.abs(y - points)).slice(0, 2);
    throw new Refused(
      'noRest',
      points,
      nearest.sort((x, y) => x - y),
    );
  }

  scores(b: Between): number[] {
    return (b as Line).left;
  }

  applyTurn(b: Between, words: string): Line {
    const points = parseWhole(words.trim(), 'left');
    this.check(points);
    return this.after(b, { kind: 'score', points, n: 0 });
  }

  usualTurns(): [string, string][] {
    const { finals } = this.facts;
    const step = Math.ceil(finals.length / 50);
    return [...finals]
      .reverse()
      .filter((_, n) => n % step === 0)
      .map((points) => [String(points), String(points)]);
  }

  /** Return dice with a total, the lower first; null unless there are two dice and they can have it. */
  diceOfTotal(total: number, dice: number): string[] | null {
    if (dice !== TWO || total < TWO || total > TWO * this.faces) return null;
    const low = Math.max(1, total - this.faces);
    return [String(low), String(total - low)];
  }
}
