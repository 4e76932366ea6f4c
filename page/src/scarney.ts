/** Straight Scarney between frames: totals, frames, extra frames. */
import type { Arrays, PageData } from './data';
import { type Between, type Ending, Problem, Refused, type Root, type Tie } from './problem';
import { formatGain, largest } from './numbers';
import { hasBit, parseWhole } from './play';
import { fromMover, bySeat, findPlayoffTie, playing, parseSeat, parseScores } from './seats';
import { phrase } from './refusals';

interface Facts {
  root: [Root['at'], number];
  frames: number;
  cap: number;
  beyond: number;
  points: number | null;
  held: string[];
}

interface Line extends Between {
  scores: number[];
  frame: number;
  playoff: number[];
}

export class ScarneyProblem extends Problem {
  private readonly facts: Facts;
  private readonly players: number;
  private readonly tables: Float64Array[];
  private readonly width: number;

  constructor(data: PageData, arrays: Arrays) {
    super();
    this.facts = data.match as unknown as Facts;
    this.players = data.players;
    this.tables = this.players > 1 ? ['first', 'second'].map((name) => arrays.doubles(name)) : [];
    this.width = this.players > 1 ? arrays.shape('first')[1] : 0;
  }

  start(): Line {
    return { scores: Array<number>(this.players).fill(0), seat: 0, frame: 1, playoff: [], ended: null };
  }

  storedValues(b: Between): number[] | null {
    const line = b as Line;
    if (this.facts.points !== null) return [this.facts.points];
    const farthest = (this.width - 1) / 2;
    const lead = line.scores[line.seat] - line.scores[1 - line.seat];
    const place =
      (this.facts.frames - line.frame) * this.width +
      Math.max(-farthest, Math.min(farthest, lead)) +
      farthest;
    const share = this.tables[line.seat][place];
    return bySeat(line.seat, [share, 1 - share]);
  }

  root(): Root {
    return { at: this.facts.root[0], n: this.facts.root[1] };
  }

  findTie(before: Between, after: Between): Tie | null {
    return findPlayoffTie(before as Line, after as Line);
  }

  after(b: Between, { kind, points }: Ending): Line {
    const line = b as Line;
    if (this.players === 1) return { ...line, ended: [kind === 'zero' ? 0 : points] };
    if (kind === 'big') return this.finish(line, line.seat);
    const gain = kind === 'zero' ? 0 : points;
    const scores = line.scores.map((total, seat) => total + gain * Number(seat === line.seat));
    const next = { ...line, scores, seat: 0 };
    const seats = playing(line.playoff, this.players);
    if (line.seat !== seats[seats.length - 1]) return { ...next, seat: seats[seats.indexOf(line.seat) + 1] };
    if (line.frame < this.facts.frames) return { ...next, frame: line.frame + 1 };
    const top = largest(seats.map((seat) => scores[seat]));
    const tied = seats.filter((seat) => scores[seat] === top);
    if (tied.length === 1) return this.finish(next, tied[0]);
    return { ...next, scores: scores.map(() => 0), seat: tied[0], playoff: tied };
  }

  private finish(line: Line, winner: number): Line {
    return { ...line, seat: winner, ended: line.scores.map((_, seat) => Number(seat === winner)) };
  }

  endings(): { specials: Ending[]; bank(units: number): Ending; cap(largestUnits: number): number } {
    const { cap, beyond } = this.facts;
    return {
      specials: ['zero', 'big'].map((kind) => ({ kind, points: 0, n: 0 })),
      bank: (points) => ({ kind: 'bank', points, n: 0 }),
      cap: (largestUnits) => cap + Math.ceil(largestUnits / beyond) * beyond,
    };
  }

  units(_: Between, points: number): number {
    return points;
  }

  formatFields(b: Between): [string, string][] {
    if (this.players === 1) return [];
    const line = b as Line;
    const [score, ...others] = fromMover(line.seat, line.scores);
    const turnFields: [string, string][] = line.playoff.length
      ? [
          ['seat', String(line.seat)],
          ['playoff', line.playoff.join(',')],
        ]
      : [
          ['frame', String(line.frame)],
          ['seat', String(line.seat)],
        ];
    return [...turnFields, ['score', String(score)], ['opponents', others.join(',')]];
  }

  parseFields(fields: Map<string, string>): Line {
    const { frames } = this.facts;
    if (this.players === 1) return this.start();
    const { seat, playoff } = parseSeat(fields, this.players);
    if (playoff.length && fields.has('frame')) throw new Refused('playoffFrame');
    const frame = playoff.length ? frames : parseWhole(fields.get('frame') ?? '1', 'frame');
    if (frame < 1 || frame > frames) throw new Refused('between', 'frame', frame, 1, frames);
    const scores = parseScores(fields, seat, this.players);
    scores.forEach((total, n) => {
      const owner = phrase(n === seat ? 'score' : 'theirScore');
      if (total < 0) throw new Refused('belowZero', owner, total);
      if (total > 100_000) throw new Refused('above', owner, total, 100_000);
      if (!total) return;
      if (playoff.length && (n >= seat || !playoff.includes(n)))
        throw new Refused('extraFrame', owner, total);
      if (!playoff.length && frame === 1 && n === seat) throw new Refused('nothingEntered', total);
      if (!playoff.length && frame === 1 && n > seat) throw new Refused('notShot', total);
    });
    return { scores, seat, frame, playoff, ended: null };
  }

  scores(b: Between): number[] {
    return this.players > 1 ? (b as Line).scores : [];
  }

  applyTurn(b: Between, words: string): Line {
    const word = words.trim().toLowerCase();
    if (word === 'win' && this.players > 1) return this.after(b, { kind: 'big', points: 0, n: 0 });
    const points = parseWhole(word, 'points');
    if (points < 0 || points > 100_000) throw new Refused('between', 'points', points, 0, 100_000);
    const { held: possiblePoints } = this.facts;
    if (points && points <= 1000 && !possiblePoints.some((bits) => hasBit(bits, points)))
      throw new Refused('noFrame', points);
    return this.after(b, { kind: points ? 'bank' : 'zero', points, n: 0 });
  }

  usualTurns(): [string, string][] {
    // Most frames score spots and a bonus, which differ too much for buttons.
    const turns = [0, 25].map((points): [string, string] => [String(points), formatGain(points)]);
    return this.players > 1 ? [...turns, ['win', 'Big Scarney']] : turns;
  }
}
