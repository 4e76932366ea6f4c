/** Seats around a table: told from the mover on, and ties that are played off. */
import { Refused } from './problem';
import { whole } from './play';

export function bySeat<T>(seat: number, from: T[]): T[] {
  return from.map((_, n) => from[(n - seat + from.length) % from.length]);
}

export function around<T>(seat: number, held: T[]): T[] {
  return held.map((_, n) => held[(seat + n) % held.length]);
}

export function numbers(text: string | undefined, name: string): number[] {
  return text ? text.split(',').map((one) => whole(one, name)) : [];
}

/** Scores by seat, told by the player in `seat` from their own on. */
export function told(told: Map<string, string>, seat: number, players: number): number[] {
  const others = told.has('opponents')
    ? numbers(told.get('opponents'), 'opponents')
    : Array<number>(players - 1).fill(0);
  if (others.length !== players - 1)
    throw new Refused('wrongOpponents', 'opponents', players - 1, others.length);
  return bySeat(seat, [whole(told.get('score') ?? '0', 'score'), ...others]);
}

export function seatOf(told: Map<string, string>, players: number): { seat: number; playoff: number[] } {
  const playoff = numbers(told.get('playoff'), 'playoff').sort((a, b) => a - b);
  if (
    playoff.length &&
    (new Set(playoff).size < playoff.length ||
      playoff.length < 2 ||
      playoff.some((one) => one < 0 || one >= players))
  )
    throw new Refused('playoffSeats', playoff.join(','), players - 1);
  const seat = told.has('seat') ? whole(told.get('seat')!, 'seat') : playoff.length ? playoff[0] : 0;
  if (seat < 0 || seat >= players) throw new Refused('between', 'seat', seat, 0, players - 1);
  if (playoff.length && !playoff.includes(seat)) throw new Refused('playoffOut', seat, playoff.join(','));
  return { seat, playoff };
}

export function playing(playoff: number[], players: number): number[] {
  return playoff.length ? playoff : [...Array(players).keys()];
}

/** Tables of showdowns: chances by players, who has played, the best total and how many hold it. */
export class Showdowns {
  constructor(
    private readonly values: Float64Array,
    private readonly players: number,
    private readonly bests: number,
  ) {}

  /** Chances of all seats; `holders` hold the best total, whose number is `best`, and the seats from `played` on come. */
  chances(seats: number[], played: number, best: number, holders: number[]): number[] {
    const { players } = this;
    const place = ((seats.length * players + played) * this.bests + best) * players + holders.length;
    const found = Array<number>(players).fill(0);
    [...holders, ...seats.slice(played)].forEach(
      (seat, n) => (found[seat] = this.values[place * players + n]),
    );
    return found;
  }
}
