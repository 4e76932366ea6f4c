/** Turns for a pot: later players know the best total so far, and players who share it at the end play again. */
import type { Arrays, PageData } from './data';
import { type Between, type Ending, Problem, Refused, type Root, type Tie } from './problem';
import { parseWhole } from './play';
import { Showdowns, endsRound, parseNumbers, playing, parseSeat } from './seats';

interface Facts {
  most: number;
  root: [Root['at'], number];
  totals: number[];
}

interface Line extends Between {
  beat: number;
  holders: number[];
  playoff: number[];
}

const START: Line = { seat: 0, beat: 0, holders: [], playoff: [], ended: null };

export class PotProblem extends Problem {
  private readonly facts: Facts;
  private readonly players: number;
  private readonly showdowns: Showdowns | null;

  constructor(
    private readonly data: PageData,
    arrays: Arrays,
  ) {
    super();
    this.facts = data.match as unknown as Facts;
    this.players = data.players;
    this.showdowns = arrays.has('showdown')
      ? new Showdowns(arrays.doubles('showdown'), this.players, this.facts.totals.length)
      : null;
  }

  start(): Line {
    return START;
  }

  storedValues(b: Between): number[] | null {
    const line = b as Line;
    if (!this.showdowns) return null;
    const seats = playing(line.playoff, this.players);
    const best = line.holders.length ? this.facts.totals.indexOf(line.beat) : 0;
    return this.showdowns.shares(seats, seats.indexOf(line.seat), best, line.holders);
  }

  root(): Root {
    return { at: this.facts.root[0], n: this.facts.root[1] };
  }

  findTie(before: Between, after: Between): Tie | null {
    const [{ beat }, { holders, playoff }] = [before as Line, after as Line];
    if (holders.length || !endsRound(before as Line, after as Line, this.players)) return null;
    return { seats: playing(playoff, this.players), total: beat };
  }

  after(b: Between, { points }: Ending): Line {
    const line = b as Line;
    if (this.data.objective === 'points') return { ...START, ended: [points] };
    const { totals } = this.facts;
    let { holders, beat } = line;
    if (!holders.length || totals.indexOf(points) > totals.indexOf(beat))
      [holders, beat] = [[line.seat], points];
    else if (points === beat) holders = [...holders, line.seat];
    const seats = playing(line.playoff, this.players);
    if (line.seat !== seats[seats.length - 1])
      return { ...line, seat: seats[seats.indexOf(line.seat) + 1], beat, holders };
    if (holders.length === 1)
      return {
        ...line,
        beat,
        holders,
        ended: [...Array(this.players).keys()].map((seat) => Number(holders[0] === seat)),
      };
    const playoff = holders.length === this.players ? [] : holders;
    return { ...line, seat: holders[0], beat: 0, holders: [], playoff };
  }

  endings(): { specials: Ending[]; bank(units: number): Ending; cap(largestUnits: number): number } {
    const { most, totals } = this.facts;
    const nearest = (points: number) => [...totals].reverse().find((total) => total <= points) ?? totals[0];
    return {
      specials: [{ kind: 'score', points: totals[0], n: 0 }],
      bank: (units) => ({ kind: 'score', points: nearest(units), n: 0 }),
      cap: () => most + 1,
    };
  }

  formatFields(b: Between): [string, string][] {
    const { seat, beat, holders, playoff } = b as Line;
    const fields: [string, string][] = this.players > 1 ? [['seat', String(seat)]] : [];
    if (playoff.length) fields.push(['playoff', playoff.join(',')]);
    if (holders.length) {
      fields.push(['beat', String(beat)], ['tied', String(holders.length)]);
      const earlier = playing(playoff, this.players).filter((other) => other < seat);
      if (holders.join() !== earlier.slice(0, holders.length).join())
        fields.push(['holders', holders.join(',')]);
    }
    return fields;
  }

  parseFields(fields: Map<string, string>): Line {
    const { totals } = this.facts;
    const seatFields = new Map(fields);
    if (!seatFields.has('seat') && seatFields.has('beat')) seatFields.set('seat', '1');
    const { seat, playoff } = parseSeat(seatFields, this.players);
    const earlier = playing(playoff, this.players).filter((other) => other < seat);
    const current = { ...START, seat, playoff: playoff.length === this.players ? [] : playoff };
    if (!fields.has('beat')) {
      if (earlier.length) throw new Refused('beatMissing');
      return current;
    }
    const beat = parseWhole(fields.get('beat')!, 'beat');
    if (!totals.includes(beat)) throw new Refused('noTotal', beat);
    if (!earlier.length) throw new Refused('firstToPlay');
    const statedHolders = parseNumbers(fields.get('holders'), 'holders').sort((x, y) => x - y);
    const usualCount = statedHolders.length || (beat === totals[0] ? earlier.length : 1);
    const count = fields.has('tied') ? parseWhole(fields.get('tied')!, 'tied') : usualCount;
    if (count < 1 || count > earlier.length)
      throw new Refused('tiedCount', count, earlier.length, this.players);
    if (beat === totals[0] && count < earlier.length) throw new Refused('allTied', beat, earlier.length);
    const holders = statedHolders.length ? statedHolders : earlier.slice(0, count);
    if (holders.length !== count || !holders.every((other) => earlier.includes(other)))
      throw new Refused('wrongHolders', count, earlier.join(','));
    return { ...current, beat, holders };
  }

  scores(): number[] {
    return [];
  }

  applyTurn(b: Between, words: string): Line {
    const points = parseWhole(words.trim(), 'total');
    const { totals } = this.facts;
    if (!totals.includes(points)) {
      const nearest = [...totals]
        .sort((x, y) => Math.abs(x - points) - Math.abs(y - points))
        .slice(0, 2)
        .sort((x, y) => x - y);
      throw new Refused('noTotalNear', points, nearest);
    }
    return this.after(b, { kind: 'score', points, n: 0 });
  }

  usualTurns(): [string, string][] {
    const { totals } = this.facts;
    const step = Math.ceil(totals.length / 30);
    return totals
      .filter((_, n) => n % step === 0 || n === totals.length - 1)
      .map((n) => [String(n), String(n)]);
  }
}
