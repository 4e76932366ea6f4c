/** A game judged: luck, errors and what they came to, event by event, as `keepwise review` tells them. */
import type { Answers } from './answers';
import type { Game, Step } from './game';
import { isSameChoice } from './choices';
import { type Units, ENGLISH_UNITS, cost, largest, percent, worth } from './numbers';
import type { Choice, Position } from './play';

export interface Judged {
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
  events: Judged[];
  seats: Sums[];
  start: number[];
  over: boolean;
}

export const GRADES: [number, string][] = [
  [0.0005, 'flawless'],
  [0.002, 'expert'],
  [0.005, 'advanced'],
  [0.01, 'good'],
  [0.02, 'fair'],
  [0.04, 'casual'],
  [1, 'by guess'],
];

export function grade(mean: number): string {
  return (GRADES.find(([most]) => mean <= most) ?? GRADES[GRADES.length - 1])[1];
}

export function review(answers: Answers, game: Game): Review {
  const { table } = answers;
  const sign = answers.sign;
  const turns = answers.data.objective === 'turns';
  const path = [game.start, ...game.steps.map((step) => step.after)];
  const ends = (p: Position) => turns && (p.begins || p.at === 'over');
  let taken = 0;
  const values = path.map((p, n) => {
    taken += Number(n > 0 && ends(p));
    return { p, taken, by: [] as number[], gains: [] as number[], choices: [] as Choice[] };
  });
  for (const here of values) {
    here.choices = here.p.at === 'choose' ? table.choices(here.p) : [];
    const asked = here.choices.length ? here.choices.map((choice) => choice.after) : [here.p];
    const worths = answers.evaluator.worth(asked);
    if (!here.choices.length) {
      here.by = worths[0].map((value) => sign * (value + here.taken));
      continue;
    }
    const mover = table.mover(here.p);
    const after = here.choices.map((choice) => here.taken + Number(ends(choice.after)));
    here.gains = worths.map((one, n) => sign * (one[mover] + after[n]));
    const best = here.gains.indexOf(largest(here.gains));
    here.by = worths[best].map((value) => sign * (value + after[best]));
  }
  const events = game.steps.map((step, n): Judged => {
    const here = values[n];
    let error = 0;
    let best: Choice | null = null;
    if (step.choice) {
      const most = largest(here.gains);
      const losses = here.gains.map((gain) => most - gain);
      const place = here.choices.findIndex((choice) => isSameChoice(choice, step.choice!));
      best = here.choices[losses.findIndex((loss) => loss <= 2 * answers.bound)];
      error = losses[place] <= 2 * answers.bound ? 0 : losses[place];
    }
    return { step, before: here.by, value: values[n + 1].by, best, error };
  });
  const start = values[0].by;
  const outcome = values[values.length - 1].by;
  const seats = start.map((from, seat): Sums => {
    const moved = (event: Judged) => event.value[seat] - event.before[seat];
    const sum = (some: number[]) => some.reduce((a, b) => a + b, 0);
    const own = events.filter((event) => event.step.kind === 'choice' && event.step.seat === seat);
    const others = events.filter((event) => event.step.kind === 'choice' && event.step.seat !== seat);
    return {
      start: from,
      luck: sum(events.filter((event) => event.step.kind !== 'choice').map(moved)),
      ownErrors: sum(own.map((event) => event.error)),
      fromOthers: sum(others.map(moved)),
      outcome: outcome[seat],
      decisions: own.filter((event) => event.step.options > 1).length,
      mistakes: own.filter((event) => event.error > 0).length,
    };
  });
  return { events, seats, start, over: game.over };
}

export function chances(objective: string): boolean {
  return objective === 'win' || objective === 'reach';
}

/** A sum of luck or errors, with its sign. */
export function signed(amount: number, objective: string, units = ENGLISH_UNITS): string {
  const text = cost(Math.abs(amount), objective, units);
  return amount ? `${amount < 0 ? '-' : '+'}${text}` : text;
}

/** A value in words; turns are counted upwards. */
export function plain(value: number, objective: string, units: Units = ENGLISH_UNITS): string {
  return chances(objective)
    ? percent(value, units)
    : worth(objective === 'turns' ? Math.abs(value) : value, objective, units);
}

/** What kind of error a choice is, by what it and the best choice lead to. */
export function kindOf(answers: Answers, event: Judged): string {
  const ends = (choice: Choice) => choice.after.begins || choice.after.at === 'over';
  const [chosen, best] = [event.step.choice!, event.best!];
  if (ends(chosen) !== ends(best)) return ends(chosen) ? 'stopping too early' : 'stopping too late';
  if (!ends(chosen)) return chosen.keep.join() !== best.keep.join() ? 'keeping' : 'choosing';
  return answers.table.choices(event.step.position).some((one) => !ends(one)) ? 'keeping' : 'category';
}
