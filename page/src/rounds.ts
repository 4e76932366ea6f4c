/** Games by the round between turns: totals, rounds, playoffs (Battleship). */
import type { Arrays, PageData } from './data';
import { type Between, type Ending, Problem, Refused, type Root, type Tie } from './problem';
import { formatGain, largest } from './numbers';
import { parseWhole } from './play';
import { Showdowns, fromMover, findPlayoffTie, playing, parseSeat, parseScores } from './seats';
import { phrase } from './refusals';

interface Facts {
  most: number;
  root: [Root['at'], number];
  rounds: number;
  target: number;
  turns: number;
  first_to: boolean;
  far: number[];
}

interface Line extends Between {
  scores: number[];
  round: number;
  playoff: number[];
  left: number;
}

export class RoundsProblem extends Problem {
  private readonly facts: Facts;
  private readonly players: number;
  /** The values of a player alone, by turns left and total. */
  private readonly alone: Float64Array;
  /** By turn, the values before it of all seats but the last. */
  private readonly turnValues: Float64Array[];
  private readonly showdowns: Showdowns | null;
  readonly listsAllTurns = true;

  constructor(
    private readonly data: PageData,
    arrays: Arrays,
  ) {
    super();
    this.facts = data.match as unknown as Facts;
    this.players = data.players;
    const { most, far } = this.facts;
    this.alone = arrays.has('alone') ? arrays.doubles('alone') : new Float64Array();
    this.turnValues = arrays.has('values.0') ? far.map((_, n) => arrays.doubles(`values.${n}`)) : [];
    this.showdowns = arrays.has('showdown')
      ? new Showdowns(arrays.doubles('showdown'), this.players, most + 1)
      : null;
  }

  start(): Line {
    const { rounds, turns } = this.facts;
    return this.line(Array<number>(this.players).fill(0), { round: Number(rounds > 0), left: turns });
  }

  private line(scores: number[], more: Partial<Line>): Line {
    return { scores, seat: 0, round: 0, playoff: [], left: 0, ended: null, ...more };
  }

  storedValues(b: Between): number[] | null {
    const line = b as Line;
    const { target, first_to: firstTo, most, far } = this.facts;
    if (this.data.objective === 'points') return null;
    if (this.players === 1) return [this.alone[(line.left ? line.left - 1 : 0) * target + line.scores[0]]];
    if (line.playoff.length) {
      const seats = line.playoff;
      const before = seats.slice(0, seats.indexOf(line.seat));
      const best = largest([0, ...before.map((seat) => line.scores[seat])]);
      return this.showdowns!.shares(
        seats,
        before.length,
        best,
        before.filter((seat) => line.scores[seat] === best),
      );
    }
    const n = Math.max(0, line.round - 1) * this.players + line.seat;
    let place = 0;
    if (firstTo) for (const score of line.scores) place = place * (target + most) + score;
    else
      for (const score of line.scores.slice(1)) {
        const ahead = Math.max(-far[n], Math.min(far[n], score - line.scores[0]));
        place = place * (2 * far[n] + 1) + ahead + far[n];
      }
    const at = place * (this.players - 1);
    const values = [...this.turnValues[n].subarray(at, at + this.players - 1)];
    const sum = this.data.objective === 'margin' ? 0 : 1;
    return [...values, values.reduce((rest, value) => rest - value, sum)];
  }

  root(): Root {
    return { at: this.facts.root[0], n: this.facts.root[1] };
  }

  findTie(before: Between, after: Between): Tie | null {
    return findPlayoffTie(before as Line, after as Line);
  }

  after(b: Between, ending: Ending): Line {
    const line = b as Line;
    const { target, rounds, turns, first_to: firstTo } = this.facts;
    const scores = line.scores.map((total, seat) => total + ending.points * Number(seat === line.seat));
    if (this.data.objective === 'points') return this.line(line.scores, { ended: [ending.points] });
    if (this.players === 1) {
      if (scores[0] >= target) return this.line(scores, { ended: [1] });
      if (turns && line.left === 1) return this.line(scores, { ended: [0] });
      return this.line(scores, { left: Math.max(0, line.left - 1) });
    }
    const current = { round: line.round, playoff: line.playoff };
    const seats = playing(line.playoff, this.players);
    if (line.seat !== seats[seats.length - 1])
      return this.line(scores, { ...current, seat: seats[seats.indexOf(line.seat) + 1] });
    const top = largest(seats.map((seat) => scores[seat]));
    if (!line.playoff.length && (firstTo ? top < target : line.round < rounds))
      return this.line(scores, { ...current, round: line.round + Number(!firstTo) });
    const tied = seats.filter((seat) => scores[seat] === top);
    return tied.length > 1 ? this.playOff(scores, current, tied) : this.finish(scores, current, tied[0]);
  }

  private playOff(scores: number[], current: Partial<Line>, tied: number[]): Line {
    if (this.data.objective === 'margin')
      return this.line(scores, { ...current, ended: scores.map(() => 0) });
    return this.line(
      scores.map(() => 0),
      { ...current, seat: tied[0], playoff: tied },
    );
  }

  private finish(scores: number[], current: Partial<Line>, winner: number): Line {
    const losses = scores.map((total) => (this.data.objective === 'margin' ? scores[winner] - total : 0));
    const prize = this.data.objective === 'margin' ? losses.reduce((a, b) => a + b, 0) : 1;
    return this.line(scores, {
      ...current,
      ended: losses.map((loss, seat) => (seat === winner ? prize : -loss + 0)),
    });
  }

  endings(): { specials: Ending[]; bank(units: number): Ending; cap(largestUnits: number): number } {
    const { most } = this.facts;
    return {
      specials: [{ kind: 'score', points: 0, n: 0 }],
      bank: (units) => ({ kind: 'score', points: Math.min(units, most), n: 0 }),
      cap: () => most + 1,
    };
  }

  formatFields(b: Between): [string, string][] {
    const line = b as Line;
    const fields: [string, string][] = [];
    if (this.facts.rounds && !line.playoff.length) fields.push(['round', String(line.round)]);
    if (this.players > 1) fields.push(['seat', String(line.seat)]);
    if (line.playoff.length) fields.push(['playoff', line.playoff.join(',')]);
    const [score, ...others] = fromMover(line.seat, line.scores);
    if (this.data.objective !== 'points') fields.push(['score', String(score)]);
    if (this.players > 1) fields.push(['opponents', others.join(',')]);
    if (line.left !== this.facts.turns) fields.push(['turns_left', String(line.left)]);
    return fields;
  }

  parseFields(fields: Map<string, string>): Line {
    const { rounds, turns, target, most, first_to: firstTo } = this.facts;
    const { seat, playoff } = parseSeat(fields, this.players);
    if (playoff.length && fields.has('round')) throw new Refused('playoffRound');
    let round = rounds;
    if (rounds && !playoff.length) {
      round = parseWhole(fields.get('round') ?? '1', 'round');
      if (round < 1 || round > rounds) throw new Refused('between', 'round', round, 1, rounds);
    }
    const scores = parseScores(fields, seat, this.players);
    scores.forEach((total, n) => {
      const owner = phrase(n === seat ? 'score' : 'theirScore');
      const hasPlayed = Number(n < seat);
      if (total < 0) throw new Refused('belowZero', owner, total);
      if (total === 1) throw new Refused('noRounds', owner, total);
      const roundCount = playoff.length
        ? Number(n < seat && playoff.includes(n))
        : rounds
          ? round - 1 + hasPlayed
          : 1 / 0;
      if (total > roundCount * most) throw new Refused('moreThanRounds', owner, total, roundCount * most);
      if (this.players === 1 && this.data.objective !== 'points' && total >= target)
        throw new Refused('targetReached', total, target);
      if (firstTo && !playoff.length && total >= target + (hasPlayed ? most : 0))
        throw new Refused('lastRoundOver', owner, total);
    });
    const left = parseWhole(fields.get('turns_left') ?? String(turns), 'turns_left');
    if (turns ? left < 1 || left > turns : left) throw new Refused('between', 'turns_left', left, 1, turns);
    return this.line(scores, { seat, round, playoff, left });
  }

  scores(b: Between): number[] {
    return this.data.objective === 'points' ? [] : (b as Line).scores;
  }

  applyTurn(b: Between, words: string): Line {
    const points = parseWhole(words.trim(), 'crew');
    if (points < 0 || points > this.facts.most)
      throw new Refused('between', 'crew', points, 0, this.facts.most);
    if (points === 1) throw new Refused('oneMate');
    return this.after(b, { kind: 'score', points, n: 0 });
  }

  usualTurns(): [string, string][] {
    return [...Array(this.facts.most + 1).keys()]
      .filter((n) => n !== 1)
      .map((n) => [String(n), formatGain(n)]);
  }
}
