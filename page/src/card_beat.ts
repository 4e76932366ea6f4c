/**
 * The largest chance to end above an opponent who plays a card for the most points; an equal total counts half.
 *
 * As solver/solvers/cards/beat.py: the opponent's final total has a distribution, so a full card is worth a function of its
 * total. The points scored from now on are the lanes of the kernel, and a roll hops on to the row of its upper total.
 */
import { Answers, type Evaluator } from './answers';
import { type CardEvaluator, type State, successorOf, valueInside } from './card_evaluator';
import { type Entry, type Facts, type Scorecard, popcount } from './card_facts';
import { type Block, CardKernel, type NextValues, type Options } from './card_kernel';
import type { CardTable } from './card_table';
import type { Arrays, PageData } from './data';
import { LANES } from './kernel';
import { largest } from './numbers';
import type { Position } from './play';
import { Refused } from './problem';

const MAX_TAIL = 1e-9; // the probability of the highest totals of the opponent that count as one, as in the engine
const UNIT_ROUNDOFF = 2 ** -53;
const ROUNDING_MARGIN = 1.01;
const BLOCKS_AT_ONCE = 50; // between two looks at the screen
const MAX_TURNS = 10; // still to play; with more, even the estimate takes long
const OWN_SECONDS = 3e-5; // measured: one block of the own card
const OPPONENT_SECONDS = 1.7e-4; // measured: one state of the opponent with one upper total
const TAIL_POINTS = 85; // measured: how far the highest totals that count lie above the mean, for one open box

/** Make the kernel of a card in memory of its own. */
export type MakeInstance = () => WebAssembly.Instance;

/** Called with the fraction that is done. */
type Progress = (done: number) => void;

/** Let the browser draw and react. */
function pause(): Promise<void> {
  return new Promise((done) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      done();
    };
    port2.postMessage(0);
  });
}

/** What an entry can bring: for each gain of the upper total, the fewest and the most points. */
type Gains = Map<number, [least: number, most: number]>;

/** A state that can follow, and for each of its upper totals the points that can be scored until then. */
interface Reached {
  state: State;
  ranges: Map<number, [least: number, most: number]>;
}

type Layer = Map<number, Reached>;

/** The values of a layer: by state and upper total, by points scored since the start. */
type Rows = Map<number, Map<number, Float64Array>>;

/** Rules of a card that both computations use. */
class Rules {
  readonly facts: Facts;
  readonly fullCount: number;
  readonly scores: Int32Array;
  readonly upperGains: Int32Array;
  readonly lastUpper: number;
  private readonly gains = new Map<Entry, Gains>();
  private readonly mostUpper = new Map<number, number>();

  constructor(
    readonly table: CardTable,
    arrays: Arrays,
  ) {
    this.facts = table.facts;
    this.fullCount = table.lattice.nodes - table.lattice.firstFull;
    this.scores = arrays.ints('scores');
    this.upperGains = arrays.ints('shifts');
    this.lastUpper = this.facts.bonuses.length - 1;
  }

  key({ used, flag }: State): number {
    return used + flag * (this.facts.full + 1);
  }

  /** The number of open boxes. */
  openBoxes({ used }: State): number {
    return popcount(this.facts.full & ~used);
  }

  gainsOf(entry: Entry): Gains {
    let gains = this.gains.get(entry);
    if (gains) return gains;
    gains = new Map();
    const [column, , , , , , first, last] = entry;
    for (let cell = column * this.fullCount + first; cell < column * this.fullCount + last; cell++) {
      const points = this.scores[cell];
      if (points < 0) continue;
      const [least, most] = gains.get(this.upperGains[cell]) ?? [points, points];
      gains.set(this.upperGains[cell], [Math.min(least, points), Math.max(most, points)]);
    }
    this.gains.set(entry, gains);
    return gains;
  }

  /** The most that the upper total can still gain. */
  private mostUpperGain(used: number): number {
    const open = this.facts.upper & ~used;
    let most = this.mostUpper.get(open);
    if (most !== undefined) return most;
    most = 0;
    for (let box = 0; box < this.facts.names.length; box++)
      if ((open >> box) & 1)
        most += largest(
          this.facts.entries
            .filter(([, fills]) => (fills >> box) & 1)
            .map((entry) => largest(this.gainsOf(entry).keys())),
        );
    this.mostUpper.set(open, most);
    return most;
  }

  /** Return the least upper total that is worth the same: the bonus is certain, or out of reach, for both. */
  upperClass(used: number, upper: number): number {
    const { bonuses } = this.facts;
    const total = Math.min(upper, this.lastUpper);
    const mostTotal = Math.min(total + this.mostUpperGain(used), this.lastUpper);
    return bonuses[mostTotal] === bonuses[total] ? bonuses.indexOf(bonuses[total]) : total;
  }

  /** Return the states that can follow, by their number of used boxes; those below `cap` points are solved. */
  layers(own: Scorecard, cap: number): Map<number, Layer> {
    const layers = new Map<number, Layer>();
    const reach = (state: State, upper: number, least: number, most: number) => {
      const size = popcount(state.used);
      if (!layers.has(size)) layers.set(size, new Map());
      const layer = layers.get(size)!;
      const reached = layer.get(this.key(state)) ?? { state, ranges: new Map() };
      layer.set(this.key(state), reached);
      const upperClass = this.upperClass(state.used, upper);
      const range = reached.ranges.get(upperClass) ?? [least, most];
      reached.ranges.set(upperClass, [Math.min(range[0], least), Math.max(range[1], most)]);
    };
    const reachFrom = (state: State, ranges: Reached['ranges']) => {
      for (const entry of this.table.entries(state)) {
        const next = successorOf(state, entry[1], entry[5]);
        const gains = this.gainsOf(entry);
        for (const [upper, [least, most]] of ranges)
          for (const [upperGain, [fewest, highest]] of gains)
            reach(next, upper + upperGain, Math.min(least + fewest, cap), Math.min(most + highest, cap));
      }
    };
    reachFrom(own, new Map([[own.upper, [0, 0]]]));
    const { boxes, full } = this.facts;
    for (let size = popcount(own.used) + boxes; size < popcount(full); size += boxes)
      for (const { state, ranges } of layers.get(size)!.values()) reachFrom(state, ranges);
    return layers;
  }

  /** Return the blocks of lanes that are solved for a range of points. */
  blocksOf([least, most]: [number, number], cap: number): number[] {
    const lanes: number[] = [];
    const end = Math.min(most, cap - 1);
    for (let lane = Math.floor(least / LANES) * LANES; lane <= end; lane += LANES) lanes.push(lane);
    return lanes;
  }
}

/** A solved turn: values of all positions in it, and of those that it leads to. */
class BeatEvaluator implements Evaluator {
  constructor(
    private readonly rules: Rules,
    readonly own: Scorecard,
    private readonly turn: { value: number; inner: Float64Array },
    private readonly rows: Rows,
    private readonly chances: Float64Array,
  ) {}

  values(positions: Position[]): number[][] {
    return positions.map((p) => [this.value(p)]);
  }

  private value(p: Position): number {
    const card = p.b as Scorecard;
    if (card.ended) return this.chances[Math.min(card.ended[0], this.chances.length - 1)];
    if (card.used === this.own.used) return valueInside(this.rules.table, p, this.turn);
    const rows = this.rows.get(this.rules.key(card))!;
    const row = rows.get(this.rules.upperClass(card.used, card.upper))!;
    return row[Math.min(card.score - this.own.score, row.length - 1)];
  }
}

/** Solves turns of a card against an opponent who plays another card for points. */
export class BeatSolver {
  private readonly rules: Rules;

  constructor(
    private readonly data: PageData,
    private readonly table: CardTable,
    private readonly points: CardEvaluator,
    private readonly arrays: Arrays,
    private readonly makeInstance: MakeInstance,
  ) {
    this.rules = new Rules(table, arrays);
  }

  /** Estimate the seconds on a computer; Infinity if too many boxes are open for an estimate. */
  estimateSeconds(own: Scorecard, theirs: Scorecard): number {
    const turns = [own, theirs].map((card) => this.rules.openBoxes(card) / this.rules.facts.boxes);
    if (largest(turns) > MAX_TURNS) return Infinity;
    const { blocks, states } = this.countWork(own, theirs);
    return OWN_SECONDS * blocks + OPPONENT_SECONDS * states;
  }

  /** Count the blocks of the own card, roughly, and the opponent's states with an upper total. */
  private countWork(own: Scorecard, theirs: Scorecard): { blocks: number; states: number } {
    const { rules } = this;
    const isOpen = ({ state }: Reached) => state.used !== rules.facts.full;
    const reachedFrom = (card: Scorecard, cap: number) =>
      card.ended ? [] : [...rules.layers(card, cap).values()].flatMap((layer) => [...layer.values()]);
    // The opponent's highest total that counts is not known yet.
    const [mean] = this.points.values([this.table.begin(theirs)])[0];
    const cap = Math.max(Math.ceil(mean + TAIL_POINTS * Math.sqrt(rules.openBoxes(theirs))) - own.score, 0);
    let blocks = 0;
    for (const { ranges } of reachedFrom(own, cap).filter(isOpen))
      for (const range of ranges.values()) blocks += rules.blocksOf(range, cap).length;
    let states = 0;
    for (const { ranges } of reachedFrom(theirs, 1).filter(isOpen)) states += ranges.size;
    return { blocks, states };
  }

  /**
   * Solve a turn; return answers for the positions in it.
   *
   * Args:
   *   own: the card of the player to move, between turns.
   *   theirs: the card of the opponent, between turns or full.
   *   progress: called with the fraction that is done.
   *   signal: stops the solve, which then refuses.
   */
  async solve(own: Scorecard, theirs: Scorecard, progress: Progress, signal: AbortSignal): Promise<Answers> {
    const opponentPart = 0.25; // of the progress
    const chances = await this.chancesToBeat(theirs, (done) => progress(opponentPart * done), signal);
    const reply = new Reply(this.rules, own, chances, this.arrays, this.makeInstance());
    const evaluator = await reply.solve((done) => progress(opponentPart + (1 - opponentPart) * done), signal);
    const data = { ...this.data, objective: 'beat', error_bound: this.errorBound(theirs, chances) };
    return new Answers(data, this.table, evaluator);
  }

  /** Return, by a total from 0 on, the chance to end above the opponent; the last entry is for all larger totals. */
  private async chancesToBeat(
    theirs: Scorecard,
    progress: Progress,
    signal: AbortSignal,
  ): Promise<Float64Array> {
    const equal = theirs.ended
      ? new Map([[theirs.ended[0], 1]])
      : await new OpponentTotal(this.rules, this.points, 2 * this.data.error_bound).solve(
          theirs,
          progress,
          signal,
        );
    const width = largest(equal.keys()) + 2;
    const atLeast = new Float64Array(width + 1);
    for (let total = width - 1; total >= 0; total--)
      atLeast[total] = atLeast[total + 1] + (equal.get(total) ?? 0);
    const top = atLeast.findIndex((chance) => chance <= MAX_TAIL);
    const chances = new Float64Array(top + 1).fill(1);
    let less = 0;
    for (let total = 0; total < top; total++) {
      const chance = equal.get(total) ?? 0;
      chances[total] = Math.min(less + chance / 2, 1);
      less += chance;
    }
    return chances;
  }

  /** The engine's bound of errors: rounding, and the highest totals of the opponent that count as one. */
  private errorBound(theirs: Scorecard, chances: Float64Array): number {
    const { facts, fullCount, lastUpper } = this.rules;
    const { dice, faces, throws, boxes, names } = facts;
    const turnRounding =
      ((throws - 1) * dice * (faces + 2) + fullCount + 3) * UNIT_ROUNDOFF * ROUNDING_MARGIN;
    const turns = this.rules.openBoxes(theirs) / boxes + 1;
    const columns = this.rules.scores.length / fullCount;
    const operations = turns * (2 * fullCount * throws + columns * (lastUpper + 1)) + 2 * chances.length;
    return (names.length / boxes) * turnRounding + MAX_TAIL + operations * UNIT_ROUNDOFF;
  }
}

/** The chance of a state with an upper total, by points scored since the start. */
interface Weighed {
  state: State;
  /** By class of upper totals, the first upper total of the class that occurred, and the chances. */
  uppers: Map<number, { upper: number; chances: Float64Array }>;
}

/** The distribution of the final total of a card that is played for the most points (solver/solvers/cards/distribution.py). */
class OpponentTotal {
  constructor(
    private readonly rules: Rules,
    private readonly points: CardEvaluator,
    private readonly tie: number,
  ) {}

  /** Return the probability of each final total. */
  async solve(card: Scorecard, progress: Progress, signal: AbortSignal): Promise<Map<number, number>> {
    const { rules } = this;
    const { bonuses, boxes } = rules.facts;
    const state = { used: card.used, flag: card.flag };
    const startClass = rules.upperClass(card.used, card.upper);
    const start = { upper: card.upper, chances: Float64Array.of(1) };
    let current = new Map<number, Weighed>([
      [rules.key(state), { state, uppers: new Map([[startClass, start]]) }],
    ]);
    const turns = rules.openBoxes(card) / boxes;
    for (let turn = 0; turn < turns; turn++) {
      const following = new Map<number, Weighed>();
      let done = 0;
      for (const weighed of current.values()) {
        this.playTurn(weighed, following);
        progress((turn + ++done / current.size) / turns);
        await pause();
        if (signal.aborted) throw new Refused('cancelled');
      }
      current = following;
    }
    const totals = new Map<number, number>();
    for (const { uppers } of current.values())
      for (const { upper, chances } of uppers.values())
        chances.forEach((chance, gained) => {
          if (!chance) return;
          const total = card.score + gained + bonuses[upper];
          totals.set(total, (totals.get(total) ?? 0) + chance);
        });
    return totals;
  }

  /** Move the chances of a state on by one turn, with the best dice kept and the best option taken. */
  private playTurn({ state, uppers }: Weighed, following: Map<number, Weighed>): void {
    const { rules } = this;
    const { fullCount, lastUpper } = rules;
    const before = [...uppers.values()].sort((a, b) => a.upper - b.upper);
    for (const { upper } of before) this.points.solveSuccessors(state, upper);
    const endings = this.points.endings(
      state,
      before.map(({ upper }) => upper),
      this.tie,
    );
    const options = rules.table.entries(state).map((entry) => {
      const [column, fills, , , , sets, first, last] = entry;
      const next = successorOf(state, fills, sets);
      // The points of a full card are its bonus, which the evaluator holds as any other points to come.
      return { column: column * fullCount, first, last, next, points: this.points.pointsOf(next) };
    });
    before.forEach(({ upper, chances }, n) => {
      const moved = options.map(() => new Map<number, { chance: number; upperGain: number }>());
      for (let roll = 0; roll < fullCount; roll++) {
        if (!endings[n][roll]) continue;
        const valueOf = ({ column, first, last, points }: (typeof options)[number]) => {
          const score = rules.scores[column + roll];
          if (roll < first || roll >= last || score < 0) return -Infinity;
          return score + points[Math.min(upper + rules.upperGains[column + roll], lastUpper)];
        };
        const values = options.map(valueOf);
        const tied = largest(values) - this.tie;
        let best = -1;
        options.forEach(({ column }, option) => {
          if (values[option] < tied) return;
          if (best < 0 || rules.scores[column + roll] > rules.scores[options[best].column + roll])
            best = option;
        });
        const cell = options[best].column + roll;
        const kind = moved[best].get(rules.scores[cell]) ?? { chance: 0, upperGain: rules.upperGains[cell] };
        kind.chance += endings[n][roll];
        moved[best].set(rules.scores[cell], kind);
      }
      options.forEach(({ next }, option) => {
        for (const [score, { chance, upperGain }] of moved[option])
          this.add(following, next, Math.min(upper + upperGain, lastUpper), chances, chance, score);
      });
    });
  }

  /** Add chances, each times `chance`, to a state, as many points later as were scored. */
  private add(
    following: Map<number, Weighed>,
    state: State,
    upper: number,
    chances: Float64Array,
    chance: number,
    score: number,
  ): void {
    const key = this.rules.key(state);
    const weighed = following.get(key) ?? { state, uppers: new Map() };
    following.set(key, weighed);
    const upperClass = this.rules.upperClass(state.used, upper);
    const width = chances.length + score;
    let sum = weighed.uppers.get(upperClass);
    if (!sum) {
      sum = { upper, chances: new Float64Array(width) };
      weighed.uppers.set(upperClass, sum);
    } else if (sum.chances.length < width) {
      const wider = new Float64Array(width);
      wider.set(sum.chances);
      sum.chances = wider;
    }
    for (let n = 0; n < chances.length; n++) sum.chances[n + score] += chance * chances[n];
  }
}

/** The best response to an opponent whose final total has a known distribution. */
class Reply {
  private readonly kernel: CardKernel;
  /** The points from which on the win is certain, counted from the start of the turn. */
  private readonly cap: number;
  private readonly width: number;
  private readonly places: number;

  constructor(
    private readonly rules: Rules,
    private readonly own: Scorecard,
    private readonly chances: Float64Array,
    arrays: Arrays,
    instance: WebAssembly.Instance,
  ) {
    const { table, facts } = rules;
    this.kernel = new CardKernel(instance, table.lattice, facts, arrays, (points, upperGain) =>
      points < 0 ? { gain: -Infinity, shift: 0, hop: 0 } : { gain: 0, shift: points, hop: upperGain },
    );
    this.cap = Math.max(chances.length - 1 - own.score, 0);
    this.width = this.cap + LANES;
    this.places = rules.lastUpper + largest(rules.upperGains) + 1;
  }

  async solve(progress: Progress, signal: AbortSignal): Promise<Evaluator> {
    const { rules, own } = this;
    const { boxes, full } = rules.facts;
    const layers = rules.layers(own, this.cap);
    const allBlocks = new Map([...layers].map(([size, layer]) => [size, this.blocks(layer)]));
    let total = 0;
    for (const [size, blocks] of allBlocks) if (size < popcount(full)) total += blocks.length;
    let rows = this.fullCards(layers.get(popcount(full))!);
    let done = 0;
    for (let size = popcount(full) - boxes; size > popcount(own.used); size -= boxes) {
      const mark = this.kernel.mark();
      const next = this.copyIn(rows);
      const blocks = allBlocks.get(size)!;
      const solved = this.certain(layers.get(size)!);
      for (let first = 0; first < blocks.length; first += BLOCKS_AT_ONCE) {
        const some = blocks.slice(first, first + BLOCKS_AT_ONCE);
        this.solveBlocks(next, some, solved);
        progress((done += some.length) / total);
        await pause();
        if (signal.aborted) throw new Refused('cancelled');
      }
      this.kernel.release(mark);
      rows = solved;
    }
    const next = this.copyIn(rows);
    const options = this.options(next, [{ state: own, upper: own.upper }]);
    return new BeatEvaluator(rules, own, this.kernel.inside(next, options, [0, 0]), rows, this.chances);
  }

  /** The blocks of a layer, one state and upper total after another. */
  private blocks(layer: Layer): { state: State; upper: number; lane: number }[] {
    return [...layer.values()].flatMap(({ state, ranges }) =>
      [...ranges].flatMap(([upper, range]) =>
        this.rules.blocksOf(range, this.cap).map((lane) => ({ state, upper, lane })),
      ),
    );
  }

  /** Return rows in which every win is certain, for what is not solved. */
  private certain(layer: Layer): Rows {
    return new Map(
      [...layer].map(([key, { ranges }]) => [
        key,
        new Map([...ranges.keys()].map((upper) => [upper, new Float64Array(this.width).fill(1)])),
      ]),
    );
  }

  /** Return the values of full cards. */
  private fullCards(layer: Layer): Rows {
    const rows = this.certain(layer);
    const last = this.chances.length - 1;
    for (const uppers of rows.values())
      for (const [upper, row] of uppers)
        for (let points = 0; points < this.cap; points++)
          row[points] =
            this.chances[Math.min(this.own.score + points + this.rules.facts.bonuses[upper], last)];
    return rows;
  }

  /** Copy rows into the kernel's memory. */
  private copyIn(rows: Rows): NextValues & { stateNumbers: Map<number, number> } {
    const { full } = this.rules.facts;
    const count = [...rows.values()].reduce((sum, uppers) => sum + uppers.size, 0);
    const all = new Float64Array(count * this.width);
    const rowOfPlace: number[] = [];
    const stateNumbers = new Map<number, number>();
    let rowNumber = 0;
    for (const [key, uppers] of rows) {
      stateNumbers.set(key, stateNumbers.size);
      const rowNumbers = new Map<number, number>();
      for (const [upper, row] of uppers) {
        all.set(row, rowNumber * this.width);
        rowNumbers.set(upper, rowNumber++);
      }
      for (let upper = 0; upper < this.places; upper++)
        rowOfPlace.push(rowNumbers.get(this.rules.upperClass(key & full, upper)) ?? 0);
    }
    return {
      address: this.kernel.copyIn(all),
      width: this.width,
      rowOfPlace: this.kernel.copyIn64(rowOfPlace),
      stateNumbers,
    };
  }

  /** Return the options of states with upper totals, one problem each. */
  private options(
    { stateNumbers }: { stateNumbers: Map<number, number> },
    problems: { state: State; upper: number }[],
  ): Options {
    const options: Options = { start: [0], column: [], row: [], from: [], to: [] };
    for (const { state, upper } of problems) {
      for (const [column, fills, , , , sets, first, last] of this.rules.table.entries(state)) {
        options.column.push(column);
        const number = stateNumbers.get(this.rules.key(successorOf(state, fills, sets)))!;
        options.row.push(number * this.places + upper);
        options.from.push(first);
        options.to.push(last);
      }
      options.start.push(options.column.length);
    }
    return options;
  }

  /** Solve blocks, and store their values in the rows of their states. */
  private solveBlocks(
    next: NextValues & { stateNumbers: Map<number, number> },
    some: { state: State; upper: number; lane: number }[],
    rows: Rows,
  ): void {
    const values = this.kernel.values(
      next,
      this.options(next, some),
      some.map(({ lane }, problem): Block => [problem, lane]),
    );
    some.forEach(({ state, upper, lane }, n) => {
      const row = rows.get(this.rules.key(state))!.get(upper)!;
      for (let l = 0; l < LANES && lane + l < this.cap; l++) row[lane + l] = values[n * LANES + l];
    });
  }
}
