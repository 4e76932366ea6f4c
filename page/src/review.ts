/** The review of a game: luck, errors and outcome by event, with the same numbers as `keepwise review`. */
import type { Answers } from './answers';
import type { Game, Step } from './game';
import { isSameChoice } from './choices';
import {
  type Units,
  ENGLISH_UNITS,
  formatLoss,
  isProbability,
  largest,
  formatPercent,
  formatValue,
} from './numbers';
import type { Choice, Position } from './play';

export interface ReviewedStep {
  step: Step;
  before: number[];
  value: number[];
  best: Choice | null;
  error: number;
}

export interface Sums {
  start: number;
  luck: number;
  ownErrors: number;
  fromOthers: number;
  outcome: number;
  decisions: number;
  mistakes: number;
}

export interface Review {
  events: ReviewedStep[];
  seats: Sums[];
  start: number[];
  isOver: boolean;
}

export const GRADES: [number, string][] = [
  [0.0005, 'flawless'],
  [0.002, 'expert'],
  [0.005, 'advanced'],
  [0.01, 'good'],
  [0.02, 'fair'],
  [0.04, 'casual'],
  [1, 'guessing'],
];

export function grade(mean: number): string {
  return (GRADES.find(([limit]) => mean <= limit) ?? GRADES[GRADES.length - 1])[1];
}

export function review(answers: Answers, game: Game): Review {
  const { table } = answers;
  const sign = answers.sign;
  const countsTurns = answers.data.objective === 'turns';
  const path = [game.start, ...game.steps.map((step) => step.after)];
  const isTurnEnd = (p: Position) => countsTurns && (p.isTurnStart || p.at === 'over');
  let taken = 0;
  const entries = path.map((p, n) => {
    taken += Number(n > 0 && isTurnEnd(p));
    return { p, taken, by: [] as number[], gains: [] as number[], choices: [] as Choice[] };
  });
  for (const entry of entries) {
    entry.choices = entry.p.at === 'choose' ? table.choices(entry.p) : [];
    const positions = entry.choices.length ? entry.choices.map((choice) => choice.after) : [entry.p];
    const values = answers.evaluator.values(positions);
    if (!entry.choices.length) {
      entry.by = values[0].map((value) => sign * (value + entry.taken));
      continue;
    }
    const mover = table.mover(entry.p);
    const turns = entry.choices.map((choice) => entry.taken + Number(isTurnEnd(choice.after)));
    entry.gains = values.map((value, n) => sign * (value[mover] + turns[n]));
    const best = entry.gains.indexOf(largest(entry.gains));
    entry.by = values[best].map((value) => sign * (value + turns[best]));
  }
  const events = game.steps.map((step, n): ReviewedStep => {
    const entry = entries[n];
    let error = 0;
    let best: Choice | null = null;
    if (step.choice) {
      const bestGain = largest(entry.gains);
      const losses = entry.gains.map((gain) => bestGain - gain);
      const index = entry.choices.findIndex((choice) => isSameChoice(choice, step.choice!));
      best = entry.choices[losses.findIndex((loss) => loss <= 2 * answers.bound)];
      error = losses[index] <= 2 * answers.bound ? 0 : losses[index];
    }
    return { step, before: entry.by, value: entries[n + 1].by, best, error };
  });
  const start = entries[0].by;
  const outcome = entries[entries.length - 1].by;
  const seats = start.map((startValue, seat): Sums => {
    const change = (event: ReviewedStep) => event.value[seat] - event.before[seat];
    const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);
    const ownChoices = events.filter((event) => event.step.kind === 'choice' && event.step.seat === seat);
    const otherChoices = events.filter((event) => event.step.kind === 'choice' && event.step.seat !== seat);
    return {
      start: startValue,
      luck: sum(events.filter((event) => event.step.kind !== 'choice').map(change)),
      ownErrors: sum(ownChoices.map((event) => event.error)),
      fromOthers: sum(otherChoices.map(change)),
      outcome: outcome[seat],
      decisions: ownChoices.filter((event) => event.step.options > 1).length,
      mistakes: ownChoices.filter((event) => event.error > 0).length,
    };
  });
  return { events, seats, start, isOver: game.isOver };
}

/** Format a sum of luck or errors with its sign. */
export function formatSigned(amount: number, objective: string, units = ENGLISH_UNITS): string {
  const text = formatLoss(Math.abs(amount), objective, units);
  return amount ? `${amount < 0 ? '-' : '+'}${text}` : text;
}

/** Format a value; a number of turns is shown as a positive number. */
export function formatPlain(value: number, objective: string, units: Units = ENGLISH_UNITS): string {
  return isProbability(objective)
    ? formatPercent(value, units)
    : formatValue(objective === 'turns' ? Math.abs(value) : value, objective, units);
}

/** Return the kind of an error, from the positions after the choice and after the best choice. */
export function kindOf(answers: Answers, event: ReviewedStep): string {
  const endsTurn = (choice: Choice) => choice.after.isTurnStart || choice.after.at === 'over';
  const [chosen, best] = [event.step.choice!, event.best!];
  if (endsTurn(chosen) !== endsTurn(best))
    return endsTurn(chosen) ? 'stopping too early' : 'stopping too late';
  if (!endsTurn(chosen)) return chosen.keep.join() !== best.keep.join() ? 'keeping' : 'choosing';
  return answers.table.choices(event.step.position).some((choice) => !endsTurn(choice))
    ? 'keeping'
    : 'category';
}
