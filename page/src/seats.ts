/** Lists by seat or from the mover on, fields that name seats, and playoffs. */
import { type Between, Refused, type Tie } from './problem';
import { parseWhole } from './play';

export function bySeat<T>(seat: number, from: T[]): T[] {
  return from.map((_, n) => from[(n - seat + from.length) % from.length]);
}

export function fromMover<T>(seat: number, values: T[]): T[] {
  return values.map((_, n) => values[(seat + n) % values.length]);
}

export function parseNumbers(text: string | undefined, name: string): number[] {
  return text ? text.split(',').map((part) => parseWhole(part, name)) : [];
}

/** Parse the scores, which the fields list from the mover in `seat` on; return them by seat. */
export function parseScores(fields: Map<string, string>, seat: number, players: number): number[] {
  const others = fields.has('opponents')
    ? parseNumbers(fields.get('opponents'), 'opponents')
    : Array<number>(players - 1).fill(0);
  if (others.length !== players - 1)
    throw new Refused('wrongOpponents', 'opponents', players - 1, others.length);
  return bySeat(seat, [parseWhole(fields.get('score') ?? '0', 'score'), ...others]);
}

export function parseSeat(fields: Map<string, string>, players: number): { seat: number; playoff: number[] } {
  const playoff = parseNumbers(fields.get('playoff'), 'playoff').sort((a, b) => a - b);
  if (
    playoff.length &&
    (new Set(playoff).size < playoff.length ||
      playoff.length < 2 ||
      playoff.some((seat) => seat < 0 || seat >= players))
  )
    throw new Refused('playoffSeats', playoff.join(','), players - 1);
  const seat = fields.has('seat') ? parseWhole(fields.get('seat')!, 'seat') : playoff.length ? playoff[0] : 0;
  if (seat < 0 || seat >= players) throw new Refused('between', 'seat', seat, 0, players - 1);
  if (playoff.length && !playoff.includes(seat)) throw new Refused('playoffOut', seat, playoff.join(','));
  return { seat, playoff };
}

export function playing(playoff: number[], players: number): number[] {
  return playoff.length ? playoff : [...Array(players).keys()];
}

interface RoundLine extends Between {
  playoff: number[];
}

/** Return whether the last turn of a round lies between two positions, and the game goes on. */
export function endsRound(before: RoundLine, after: RoundLine, players: number): boolean {
  const seats = playing(before.playoff, players);
  const isLastSeat = before.seat === seats[seats.length - 1];
  return !after.ended && after.seat !== before.seat && isLastSeat;
}

/** Return the tie with which a playoff begins between two positions; null if none begins. */
export function findPlayoffTie(
  before: RoundLine & { scores: number[] },
  after: RoundLine & { scores: number[] },
): Tie | null {
  const { playoff } = after;
  if (!playoff.length || !endsRound(before, after, before.scores.length)) return null;
  // The total of the player who has just moved is not in the scores; every other tied player has the same total.
  return { seats: playoff, total: before.scores[playoff.find((seat) => seat !== before.seat)!] };
}

/** Shares of the players in a playoff, by players, turns played, best total and number of holders. */
export class Showdowns {
  constructor(
    private readonly values: Float64Array,
    private readonly players: number,
    private readonly bestCount: number,
  ) {}

  /**
   * Return the shares of all seats.
   *
   * Args:
   *   seats: the seats that play, in order.
   *   playedCount: how many of them have played.
   *   best: the number of the best total.
   *   holders: the seats that have it.
   */
  shares(seats: number[], playedCount: number, best: number, holders: number[]): number[] {
    const { players } = this;
    const place = ((seats.length * players + playedCount) * this.bestCount + best) * players + holders.length;
    const shares = Array<number>(players).fill(0);
    [...holders, ...seats.slice(playedCount)].forEach(
      (seat, n) => (shares[seat] = this.values[place * players + n]),
    );
    return shares;
  }
}
