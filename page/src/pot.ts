/** Turns for a pot: the best total so far is known to who plays later, and those tied for it play again. */
import type { Arrays, PageData } from './data';
import { type Between, type Ending, Problem, Refused, type Root } from './problem';
import { whole } from './play';
import { Showdowns, numbers, playing, seatOf } from './seats';

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

const NOBODY: Line = { seat: 0, beat: 0, holders: [], playoff: [], ended: null };

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
    return NOBODY;
  }

  known(b: Between): number[] | null {
    const line = b as Line;
    if (!this.showdowns) return null;
    const seats = playing(line.playoff, this.players);
    const best = line.holders.length ? this.facts.totals.indexOf(line.beat) : 0;
    return this.showdowns.chances(seats, seats.indexOf(line.seat), best, line.holders);
  }

  root(): Root {
    return { at: this.facts.root[0], n: this.facts.root[1] };
  }

  after(b: Between, { points }: Ending): Line {
    const line = b as Line;
    if (this.data.objective === 'points') return { ...NOBODY, ended: [points] };
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
        ended: [...Array(this.players).keys()].map((one) => Number(holders[0] === one)),
      };
    const playoff = holders.length === this.players ? [] : holders;
    return { ...line, seat: holders[0], beat: 0, holders: [], playoff };
  }

  endings(): { specials: Ending[]; bank(units: number): Ending; cap(held: number): number } {
    const { most, totals } = this.facts;
    const nearest = (points: number) => [...totals].reverse().find((one) => one <= points) ?? totals[0];
    return {
      specials: [{ kind: 'score', points: totals[0], n: 0 }],
      bank: (units) => ({ kind: 'score', points: nearest(units), n: 0 }),
      cap: () => most + 1,
    };
  }

  tell(b: Between): [string, string][] {
    const { seat, beat, holders, playoff } = b as Line;
    const found: [string, string][] = this.players > 1 ? [['seat', String(seat)]] : [];
    if (playoff.length) found.push(['playoff', playoff.join(',')]);
    if (holders.length) {
      found.push(['beat', String(beat)], ['tied', String(holders.length)]);
      const before = playing(playoff, this.players).filter((one) => one < seat);
      if (holders.join() !== before.slice(0, holders.length).join())
        found.push(['holders', holders.join(',')]);
    }
    return found;
  }

  read(told: Map<string, string>): Line {
    const { totals } = this.facts;
    const given = new Map(told);
    if (!given.has('seat') && given.has('beat')) given.set('seat', '1');
    const { seat, playoff } = seatOf(given, this.players);
    const before = playing(playoff, this.players).filter((one) => one < seat);
    const here = { ...NOBODY, seat, playoff: playoff.length === this.players ? [] : playoff };
    if (!told.has('beat')) {
      if (before.length) throw new Refused('beatMissing');
      return here;
    }
    const beat = whole(told.get('beat')!, 'beat');
    if (!totals.includes(beat)) throw new Refused('noTotal', beat);
    if (!before.length) throw new Refused('firstToPlay');
    const named = numbers(told.get('holders'), 'holders').sort((x, y) => x - y);
    const usual = named.length || (beat === totals[0] ? before.length : 1);
    const count = told.has('tied') ? whole(told.get('tied')!, 'tied') : usual;
    if (count < 1 || count > before.length)
      throw new Refused('tiedCount', count, before.length, this.players);
    if (beat === totals[0] && count < before.length) throw new Refused('allTied', beat, before.length);
    const holders = named.length ? named : before.slice(0, count);
    if (holders.length !== count || !holders.every((one) => before.includes(one)))
      throw new Refused('wrongHolders', count, before.join(','));
    return { ...here, beat, holders };
  }

  scores(): number[] {
    return [];
  }

  brings(b: Between, words: string): Line {
    const points = whole(words.trim(), 'total');
    const { totals } = this.facts;
    if (!totals.includes(points)) {
      const near = [...totals]
        .sort((x, y) => Math.abs(x - points) - Math.abs(y - points))
        .slice(0, 2)
        .sort((x, y) => x - y);
      throw new Refused('noTotalNear', points, near);
    }
    return this.after(b, { kind: 'score', points, n: 0 });
  }

  brought(words: string): string {
    return `turn ${words.trim().toLowerCase()}`;
  }

  usual(): [string, string][] {
    const { totals } = this.facts;
    const step = Math.ceil(totals.length / 30);
    return totals
      .filter((_, n) => n % step === 0 || n === totals.length - 1)
      .map((n) => [String(n), String(n)]);
  }
}
