/** Answers: values of positions, and every choice ranked. The kernel computes the numbers. */
import { isSameChoice } from './choices';
import type { PageData } from './data';
import { LANES, type Lane, type PushKernel } from './kernel';
import { type Between, type Ending, type Problem, NEVER } from './problem';
import { formatLoss, largest, formatPercent, formatValue } from './numbers';
import { type Choice, type Position, type Table, withText } from './play';

export interface Ranked extends Choice {
  value: number;
  loss: number;
  tie: boolean;
  bust: number | null;
  wipe: number | null;
}

export interface Mixed {
  share: number;
  choice: Choice;
}

export interface Advice {
  choices: Ranked[];
  note: string;
  mixed: Mixed[];
}

/** Values for every seat of positions at the start of a turn, before a roll, or at the end. */
export interface Evaluator {
  values(positions: Position[]): number[][];
  /** The two turns of a mixed action: the choice in each, and its probability. */
  mixed?(p: Position, choices: Choice[]): Mixed[];
}

/** Whether a choice, not a roll, is next inside a turn, such as the number of dice to roll. */
function isInnerChoice(p: Position): boolean {
  return p.at === 'choose' && !p.isTurnStart;
}

/** Values from the kernel of push-your-luck turns. */
export class PushEvaluator implements Evaluator {
  /** Whether every seat has a channel. If only the mover has one, the other of two players gets the rest. */
  private readonly isPerSeat: boolean;

  constructor(
    private readonly data: PageData,
    private readonly table: Table,
    /** The kernel of each seat; one for all if they are alike, none if the game asks for no turn. */
    private readonly kernels: PushKernel[],
  ) {
    this.isPerSeat = data.channels === 'seats';
  }

  private kernel(b: Between): PushKernel {
    return this.kernels[this.problem.mover(b)] ?? this.kernels[0];
  }

  private get problem(): Problem {
    return this.table.problem;
  }

  values(positions: Position[]): number[][] {
    if (positions.some(isInnerChoice)) return this.choiceValues(positions);
    const values: number[][] = Array(positions.length);
    const turns = new Map<string, { b: Between; numbers: number[] }>();
    positions.forEach((p, n) => {
      const knownValues = this.storedValues(p);
      if (knownValues) {
        values[n] = knownValues;
        return;
      }
      const key = this.table.id(this.table.begin(p.b));
      const turn = turns.get(key) ?? { b: p.b, numbers: [] };
      turn.numbers.push(n);
      turns.set(key, turn);
    });
    for (const { b, numbers } of turns.values()) {
      const turnValues = this.solveTurn(
        b,
        numbers.map((n) => positions[n]),
      );
      numbers.forEach((n, k) => (values[n] = turnValues[k]));
    }
    return values;
  }

  /** Values of positions; a position before a choice has the value of its best choice. */
  private choiceValues(positions: Position[]): number[][] {
    const successors = positions.map((p) =>
      isInnerChoice(p) ? this.table.choices(p).map(({ after }) => after) : [p],
    );
    const allValues = this.values(successors.flat());
    let next = 0;
    return successors.map((afters, n) => {
      const mover = this.table.mover(positions[n]);
      const valueRows = afters.map(() => allValues[next++]);
      const gains = valueRows.map((values) => this.sign * values[mover]);
      return valueRows[gains.indexOf(largest(gains))];
    });
  }

  private storedValues(p: Position): number[] | null {
    if (p.at === 'over') return this.resultValues(p.b);
    return p.isTurnStart ? this.problem.storedValues(p.b) : null;
  }

  private resultValues(b: Between): number[] {
    const shares = this.problem.result(b)!;
    if (this.data.objective === 'turns') return [0];
    return this.data.fewer ? shares.map((share) => -share) : shares;
  }

  /** The roll of the kernel that comes next in a position, and the turn points in units. */
  private nextRoll(p: Position): [number, number] {
    const row = this.data.graph.throws[p.n];
    return [this.kernel(p.b).throwOf(row.mode, row.way), this.problem.units(p.b, p.points, row.offset)];
  }

  private solveTurn(b: Between, positions: Position[]): number[][] {
    const lanes = this.lanes(b, positions);
    const seat = this.problem.mover(b);
    const rolls = positions.map((p) => (p.isTurnStart ? null : this.nextRoll(p)));
    const innerRolls = rolls.filter((roll): roll is [number, number] => roll !== null);
    const solved = this.solve(
      b,
      lanes.map((item) => item.lane),
      innerRolls,
    );
    let next = 0;
    return rolls.map((roll) => {
      const index = roll ? next++ : innerRolls.length;
      const values = lanes
        .map(({ share }, l) => solved[l][index].map((value) => share * value))
        .reduce((a, c) => a.map((value, k) => value + c[k]));
      return this.bySeat(seat, lanes.length > 1 ? values.slice(1) : values);
    });
  }

  /** The lanes of a turn: one, or two for a mixed action, each with an extra channel that decides. */
  private lanes(b: Between, positions: Position[]): { lane: Lane; share: number }[] {
    const largestUnits = largest([0, ...positions.map((p) => (p.isTurnStart ? 0 : this.nextRoll(p)[1]))]);
    const lane = this.lane(b, largestUnits);
    const mixes = this.problem.mixedAction?.(b);
    if (!mixes) return [{ lane, share: 1 }];
    return mixes.map(({ zeroValue: zeroValue, share }) => ({
      lane: { cap: lane.cap, payoff: this.withDecisionChannel(b, lane, zeroValue) },
      share,
    }));
  }

  /** The channels of a lane, after one that decides with another zero value. */
  private withDecisionChannel(b: Between, lane: Lane, zeroValue: number): Float64Array[] {
    const decisionChannel = lane.payoff[0].slice();
    const { specials, bank } = this.problem.endings(b);
    const scoreField = this.table.problem.formatFields(b).find(([name]) => name === 'score');
    specials.forEach((ending, e) => {
      if (ending.kind === 'bust' || (ending.kind === 'wipe' && scoreField?.[1] === '0'))
        decisionChannel[e] = zeroValue;
    });
    for (let e = specials.length; e < decisionChannel.length; e++)
      if (bank(e - specials.length).kind === 'stop') decisionChannel[e] = zeroValue;
    return [decisionChannel, ...lane.payoff];
  }

  private lane(b: Between, largestUnits: number): Lane {
    const { specials, bank, cap } = this.problem.endings(b);
    const laneCap = cap(largestUnits);
    const seat = this.problem.mover(b);
    const players = this.data.players;
    const channels = this.isPerSeat ? players : 1;
    const payoff = Array.from({ length: channels }, () => new Float64Array(specials.length + laneCap + 1));
    const setPayoff = (ending: Ending, e: number) => {
      if (ending.kind === NEVER) {
        for (const channel of payoff) channel[e] = -Infinity;
        return;
      }
      const after = this.table.begin(this.problem.after(b, ending));
      const [values] = this.values([after]);
      for (let k = 0; k < channels; k++)
        payoff[k][e] = this.sign * (values[(seat + k) % players] + Number(this.data.objective === 'turns'));
    };
    specials.forEach(setPayoff);
    for (let units = 0; units <= laneCap; units++) setPayoff(bank(units), specials.length + units);
    return { payoff, cap: laneCap };
  }

  private solve(b: Between, lanes: Lane[], rolls: [number, number][]): number[][][] {
    const solutions: number[][][] = [];
    for (let first = 0; first < lanes.length; first += LANES)
      for (const solution of this.kernel(b).solve(lanes.slice(first, first + LANES), rolls))
        solutions.push(solution);
    return solutions;
  }

  private get sign(): number {
    return this.data.fewer ? -1 : 1;
  }

  private bySeat(seat: number, channels: number[]): number[] {
    const values = channels.map((value) => this.sign * value);
    if (this.data.players === 2 && !this.isPerSeat) values.push(1 - values[0]);
    return values.map((_, n) => values[(n - seat + values.length) % values.length]);
  }

  mixed(p: Position, choices: Choice[]): Mixed[] {
    const mixes = this.problem.mixedAction?.(p.b);
    if (!mixes || !mixes[1].share || mixes[1].share === 1) return [];
    if (choices.length === 1)
      return p.isTurnStart ? mixes.map(({ share }) => ({ share, choice: choices[0] })) : [];
    const { specials } = this.problem.endings(p.b);
    const rollPositions = choices.map((choice) => choice.after).filter((after) => after.b === p.b);
    return this.lanes(p.b, rollPositions).map(({ lane, share }) => {
      const gains = choices.map(({ after, then, points }) => {
        if (after.b === p.b) return this.solve(p.b, [lane], [this.nextRoll(after)])[0][0][0];
        if (then !== 'bank' && then !== 'stop')
          return lane.payoff[0][
            specials.findIndex((special) => special.kind === (then === 'win' ? 'win' : 'bust'))
          ];
        const units = then === 'bank' ? Math.min(this.problem.units(p.b, points, 0), lane.cap) : 0;
        return lane.payoff[0][specials.length + units];
      });
      return { share, choice: choices[gains.indexOf(largest(gains))] };
    });
  }
}

export class Answers {
  constructor(
    readonly data: PageData,
    readonly table: Table,
    readonly evaluator: Evaluator,
  ) {}

  get sign(): number {
    return this.data.fewer ? -1 : 1;
  }

  get bound(): number {
    return this.data.error_bound;
  }

  private ends(after: Position): number {
    return this.data.objective === 'turns' && (after.isTurnStart || after.at === 'over') ? 1 : 0;
  }

  /** The choices of a position; before a roll, the roll itself. */
  choices(p: Position): Choice[] {
    if (p.at === 'choose') return this.table.choices(p);
    const { act, dice } = this.table.nextRoll(p);
    return [{ ...withText(act), points: p.points, diceLeft: dice, then: 'roll', after: p }];
  }

  /** Values for every seat of a position of any stage. */
  values(p: Position): number[] {
    return this.valuesOf([p])[0];
  }

  valuesOf(positions: Position[]): number[][] {
    const successors = positions.map((p) =>
      p.at === 'choose' ? this.table.choices(p).map((c) => c.after) : [p],
    );
    const worths = this.evaluator.values(successors.flat());
    let next = 0;
    return successors.map((afters, n) => {
      const mover = this.table.mover(positions[n]);
      const afterValues = afters.map((after) => {
        const ends = positions[n].at === 'choose' ? this.ends(after) : 0;
        return worths[next++].map((value) => value + ends);
      });
      const gains = afterValues.map((values) => this.sign * values[mover]);
      return afterValues[gains.indexOf(largest(gains))];
    });
  }

  /** Every choice ranked, best first. */
  advise(p: Position): Advice {
    const choices = this.choices(p);
    const mover = this.table.mover(p);
    const worths = this.evaluator.values(choices.map((choice) => choice.after));
    const ranked = choices.map((choice, n): Ranked => {
      const isRoll = choice.after.at === 'throw' && (!choice.after.isTurnStart || choice.after === p);
      const value = worths[n][mover] + (choice.after === p ? 0 : this.ends(choice.after));
      const bust = isRoll ? this.table.mishapProbability(choice.after) : null;
      const wipe = isRoll ? this.table.wipeProbability(choice.after) : null;
      return { ...choice, value, bust, wipe, loss: 0, tie: false };
    });
    const best = largest(ranked.map((choice) => this.sign * choice.value));
    for (const choice of ranked) {
      choice.loss = best - this.sign * choice.value;
      choice.tie = choice.loss <= 2 * this.bound;
    }
    // With three or more seats, a tie for the mover may cost another seat much. There the largest value decides.
    const tolerance = this.data.players < 3 ? 2 * this.bound : 0;
    const first = ranked.find((choice) => choice.loss <= tolerance);
    const sortKey = (choice: Ranked) => (choice === first ? -1 : choice.tie ? 0 : choice.loss);
    ranked.sort((a, b) => sortKey(a) - sortKey(b));
    return { choices: ranked, note: this.table.note(p), mixed: this.evaluator.mixed?.(p, choices) ?? [] };
  }

  /** Explain the best choice and the cost of the others, in a sentence or two. */
  explain({ choices, note, mixed }: Advice): string {
    const objective = this.data.objective;
    const [best, ...rest] = choices;
    let text = `${best.action}: ${formatValue(best.value, objective)}`;
    const ties = rest.filter((choice) => choice.tie);
    const others = rest.filter((choice) => !choice.tie);
    const risks = [best.bust && `${this.data.mishap[1]} ${formatPercent(best.bust)} of the time`];
    risks.push(best.wipe && `losing the whole score ${formatPercent(best.wipe)} of the time`);
    if (risks.some(Boolean)) text += `, ${risks.filter(Boolean).join(' and ')}`;
    if (ties.length) text += `; just as good: ${ties.map((choice) => choice.action).join('; ')}`;
    if (others.length)
      text += `; next best, ${others[0].action}, costs ${formatLoss(others[0].loss, objective)}`;
    const mixture = saysMixed(choices, mixed) ? this.mixture(choices, mixed) : '';
    return [`${text}.`, note, mixture].filter(Boolean).join(' ');
  }

  private mixture(choices: Ranked[], [first, second]: Mixed[]): string {
    const frequencyOf = (part: Mixed) => `${formatPercent(part.share)} of the time`;
    if (choices.length === 1)
      return `Optimal play from here is random: one plan for the turn ${frequencyOf(first)}, another ${frequencyOf(second)}.`;
    return `Optimal play is random here: ${frequencyOf(first)} ${first.choice.action}, and ${frequencyOf(second)} ${second.choice.action}.`;
  }
}

/** Whether a mixed action starts here, or its two turns choose differently here. */
export function saysMixed(choices: Ranked[], mixed: Mixed[]): boolean {
  return mixed.length > 0 && (choices.length === 1 || !isSameChoice(mixed[0].choice, mixed[1].choice));
}
