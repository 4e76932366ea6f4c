/** House rules: the race under other rules than the page's own, laid out here for the engine's kernel, which solves it. */
import type { Arrays, Graph, PageData } from './data';
import { capsOf, climb, digits, raceScores } from './monotone';
import { Refused } from './problem';
import { fingerprint, spacedJson } from './question';
import { solveRace } from './race';

export type Values = Record<string, number | boolean | string>;

/** What every option has: its value under the rules of the page, and how a rule file holds it if not as a value. */
interface OptionBase {
  key: string;
  /** The key of its text. */
  term: string;
  own: Values[string];
  reason: string;
  /** The index of the pattern whose points it is. */
  entry?: number;
  /** By value, the table of several alike. */
  tables?: Record<string, unknown>;
}

/** An option with a slider or a box to tick. */
interface Range extends OptionBase {
  what: 'target' | 'opening' | 'minimum' | 'minimum_on_win' | 'points';
  usual: number | boolean;
  low: number;
  high: number;
  step: number;
}

/** An option with named values, each of which leads to another turn. */
interface Choice extends OptionBase {
  what: 'choice';
  usual: string | number;
  choices: (string | number)[];
}

export type Option = Range | Choice;

/** One of the turns that house rules lead to, and where its arrays are; the page's own has no graph here. */
interface Turn {
  when: Values;
  rounding: number;
  from?: string;
  fresh?: number;
  fields?: PageData['fields'];
  graph?: Graph;
  turn?: Record<string, number>;
  at?: number;
  choices?: number[];
  adds?: number[];
}

export interface House {
  question: { rules: Record<string, unknown> };
  /** The patterns of a rule file, and those that an option can add. */
  patterns: { points: number }[];
  options: Option[];
  turns: Turn[];
  settled: number;
  certain: number;
}

/** The rules of the page, as far as they may be moved. */
export function pageValues(house: House): Values {
  return Object.fromEntries(house.options.map(({ key, own }) => [key, own]));
}

/** What can be, of what somebody asks for. */
export function fitValues(house: House, requested: Values): Values {
  const fit = (option: Option): Values[string] => {
    const { key, own } = option;
    const value = requested[key] ?? own;
    if (value === own) return own; // the page's own value may lie outside the range that is offered
    if (option.what === 'choice') return option.choices.find((one) => one === value) ?? own;
    const { what, low, high, step } = option;
    if (what === 'minimum_on_win') return Boolean(value);
    const rounded = Math.min(high, Math.round((Number(value) || 0) / step) * step);
    return rounded >= low ? rounded : what === 'points' ? 0 : low;
  };
  return Object.fromEntries(house.options.map((option) => [option.key, fit(option)]));
}

/** Refuse rules that this page does not have. */
export function checkValues(house: House, requested: Values): void {
  const rules = fitValues(house, requested);
  const unusable = Object.keys(requested).find((key) => rules[key] !== requested[key]);
  if (unusable === undefined) return;
  if (unusable in rules) throw new Refused('houseValue', unusable, String(requested[unusable]));
  throw new Refused('houseRule', unusable, house.options.map(({ key }) => key).join(', '));
}

/** The rules of the race for these values, as the engine's fingerprints have them. */
function rulesOf(house: House, values: Values): Record<string, unknown> {
  const rules = { ...house.question.rules };
  const patterns = house.patterns.map((pattern) => ({ ...pattern }));
  for (const { key, entry, tables } of house.options) {
    const value = values[key];
    if (entry !== undefined) patterns[entry].points = Number(value);
    else if (tables) rules.alike = tables[String(value)];
    else rules[key] = value;
  }
  const scoring = patterns.filter(({ points }) => points);
  if (scoring.length) rules.pattern = scoring;
  else delete rules.pattern;
  return rules;
}

/** Data and arrays of a page for these rules. */
export async function houseRules(
  data: PageData,
  arrays: Arrays,
  values: Values,
  progress: (done: number) => void,
  signal: AbortSignal,
): Promise<{ data: PageData; arrays: Arrays }> {
  const house = data.house!;
  const facts = data.match as unknown as { grain: number; target: number; fresh: number; passes: boolean };
  const { grain } = facts;
  const valueByKind = Object.fromEntries(house.options.map(({ key, what }) => [what, values[key]]));
  const {
    target: goal,
    opening = 0,
    minimum = 0,
    points = 0,
  } = { target: facts.target, ...valueByKind } as Record<string, number>;
  const always = Boolean(valueByKind.minimum_on_win ?? house.question.rules.minimum_on_win ?? true);
  const fitting = house.turns.filter(({ when }) =>
    Object.entries(when).every(([key, value]) => values[key] === value),
  );
  const chosen = fitting.find((one) => (one.at !== undefined) === points > 0) ?? fitting[0];
  const more = chosen.at === undefined ? 0 : points - chosen.at;

  const changed = new Map<string, Float64Array | Int32Array>();
  if (chosen.from)
    for (const name of Object.keys(data.arrays).filter((one) => one.startsWith(`${chosen.from}.`)))
      changed.set(
        name.replace(chosen.from, 'turn'),
        data.arrays[name][0] === 'd' ? arrays.doubles(name) : arrays.ints(name),
      );
  const add = (changed.get('turn.add') ?? arrays.ints('turn.add')).slice() as Int32Array;
  for (const n of chosen.adds ?? []) add[n] += more / grain;
  changed.set('turn.add', add);
  const turnNumbers = chosen.turn ?? data.turn!;
  const turn = climb(turnNumbers, arrays.but(changed), 'turn');

  const { facts: scoreFacts, ...scored } = raceScores(turn, {
    grain,
    target: goal,
    opening,
    minimum,
    always,
  });
  const rules = rulesOf(house, values);
  const print = await fingerprint({ ...house.question, rules });
  const { wins, bound } = await solveRace(
    { seats: [{ turn, ...scored, passes: facts.passes }], rounding: chosen.rounding, ...house },
    arrays,
    progress,
    signal,
  );
  changed.set('win', wins[0]);
  changed.set('caps', capsOf(scored));
  const listed = data.rules.map(([key, value, usual, reason]): PageData['rules'][number] => [
    key,
    key in values ? values[key] : value,
    usual,
    reason,
  ]);
  const graph = chosen.graph ?? data.graph;
  const moved = new Set(chosen.choices);
  return {
    arrays: arrays.but(changed),
    data: {
      ...data,
      rules: listed,
      head: [
        data.head[0],
        ...('name' in rules
          ? [`rules: ${spacedJson(rules)}`]
          : listed
              .filter(([, value, usual]) => value !== usual)
              .map(([key, value]) => `rule: ${key}=${String(value)}`)),
      ],
      name: data.name.replace(/[^:]*$/, print.slice(0, 8)),
      fingerprint: print,
      error_bound: bound,
      rounding: 0,
      sheet: null,
      fields: chosen.fields ?? data.fields,
      turn: { ...turnNumbers, max_add: turn.max_add },
      graph: {
        ...graph,
        choices: graph.choices.map((row, n): typeof row =>
          moved.has(n) ? [row[0], row[1], row[2] + more, row[3], row[4], row[5], row[6], row[7]] : row,
        ),
        throws: graph.throws.map((one) => ({ ...one, held: digits(scored.isPossible[one.mode]) })),
      },
      match: {
        ...data.match,
        ...scoreFacts,
        fresh: chosen.fresh ?? facts.fresh,
      } as unknown as PageData['match'],
    },
  };
}
