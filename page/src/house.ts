/** House rules: the race under other rules than the page's own, laid out here for the engine's kernel, which solves it. */
import type { Arrays, Graph, PageData } from './data';
import { LANES } from './kernel';
import { Refused } from './problem';
import type { ImpossibleScores } from './push';
import type { Climb, Race, Solved, Told } from './race';
import { largest } from './numbers';

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

const SPARE = 64; // units beyond the target that are followed
const MOST_BOUND = 2 ** -20;
const ENDINGS = ['bust', 'win', 'wipe'] as const;
const FAR = 1e9;

/** The rules of the page, as far as they may be moved. */
export function pageValues(house: House): Values {
  return Object.fromEntries(house.options.map(({ key, own }) => [key, own]));
}

/** What can be, of what somebody asks for. */
export function fitValues(house: House, requested: Values): Values {
  const fit = (option: Option): Values[string] => {
    const { key, own } = option;
    const value = requested[key] ?? own;
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

/** A turn laid out for the kernel of races, as turns/monotone_turn.py does. */
function climb(numbers: Record<string, number>, arrays: Arrays, add: Int32Array): Climb {
  const { modes } = numbers;
  const [throws, classes, offers, next, bank] = [
    'throw_start',
    'class_start',
    'choice_start',
    'next',
    'bank',
  ].map((name) => arrays.ints(`turn.${name}`));
  const weight = arrays.doubles('turn.weight');
  const ending = ENDINGS.map(() => new Float64Array(modes));
  const total = new Float64Array(modes).fill(1);
  const starts = { classes: [0], choices: [0], edges: [0] };
  const lists = { weight: [] as number[], leads: [] as number[], add: [] as number[], modes: [] as number[] };
  for (let m = 0; m < modes; m++) {
    const leads = new Map<number, number>();
    if (throws[m + 1] > throws[m]) {
      const rollChoices: number[] = [];
      total[m] = 0;
      for (let c = classes[throws[m]]; c < classes[throws[m] + 1]; c++) {
        total[m] += weight[c];
        if (next[offers[c]] >= modes) ending[next[offers[c]] - modes][m] += weight[c];
        else rollChoices.push(c);
      }
      rollChoices.sort((a, b) => offers[a + 1] - offers[a] - (offers[b + 1] - offers[b]));
      for (const c of rollChoices) {
        for (let n = offers[c]; n < offers[c + 1]; n++) {
          lists.leads.push((add[n] * modes + next[n]) * LANES);
          leads.set(add[n], (leads.get(add[n]) ?? 0) | (1 << next[n]));
        }
        starts.choices.push(lists.leads.length);
        lists.weight.push(weight[c]);
      }
    }
    starts.classes.push(lists.weight.length);
    for (const [more, to] of [...leads].sort(([a], [b]) => a - b)) {
      lists.add.push(more);
      lists.modes.push(to);
    }
    starts.edges.push(lists.add.length);
  }
  const banks = [...bank].reduce((bits, one, m) => bits | (one < 0 ? 0 : 1 << m), 0);
  return {
    numbers: [modes, numbers.start, numbers.forbid, largest(lists.add), numbers.over_passes, banks],
    class_start: Int32Array.from(starts.classes),
    weight: Float64Array.from(lists.weight),
    choice_start: Int32Array.from(starts.choices),
    leads: Int32Array.from(lists.leads),
    bust: ending[0],
    win: ending[1],
    wipe: ending[2],
    total,
    edge_start: Int32Array.from(starts.edges),
    edge_add: Int32Array.from(lists.add),
    edge_modes: Uint16Array.from(lists.modes),
  };
}

/** By points in hand, in units, the modes in which a turn can hold them, as bits. */
function reach(turn: Climb, most: number): Uint16Array {
  const modesByPoints = new Uint16Array(most + 1);
  modesByPoints[0] = 1 << turn.numbers[1];
  for (let t = 0; t <= most; t++)
    for (let m = 0; modesByPoints[t] >> m; m++)
      if ((modesByPoints[t] >> m) & 1)
        for (let e = turn.edge_start[m]; e < turn.edge_start[m + 1]; e++)
          if (t + turn.edge_add[e] <= most) modesByPoints[t + turn.edge_add[e]] |= turn.edge_modes[e];
  return modesByPoints;
}

/** Bits in hexadecimal digits, the lowest last. */
function digits(bits: boolean[]): string {
  const blocks: string[] = [];
  for (let n = 0; n < bits.length; n += 4)
    blocks.unshift(
      bits
        .slice(n, n + 4)
        .reduce((sum, bit, k) => sum + (Number(bit) << k), 0)
        .toString(16),
    );
  return blocks.join('').replace(/^0+(?=.)/, '');
}

/** The scores below the target that banks lead to: the first bank of at least `first` units, later ones of `later`. */
function scoresOf(banks: boolean[], first: number, later: number, target: number): number[] {
  const isReachable = Array.from(
    { length: target },
    (_, score) => !score || (score >= first && banks[score]),
  );
  for (let score = 1; score < target; score++)
    for (let bank = later; isReachable[score] && score + bank < target; bank++)
      if (banks[bank]) isReachable[score + bank] = true;
  return [...isReachable.keys()].filter((score) => isReachable[score]);
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

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || !value) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, one]) => [key, sorted(one)]),
  );
}

/** JSON as Python writes it: keys in order, and other signs than ASCII escaped. */
function json(value: unknown, indent = 0): string {
  return JSON.stringify(sorted(value), null, indent).replace(
    /[^ -~\n]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The same on one line, with a space after each comma and colon. */
function spacedJson(value: unknown): string {
  return json(value, 1)
    .replace(/([[{])\n */g, '$1')
    .replace(/\n *([\]}])/g, '$1')
    .replace(/\n */g, ' ');
}

async function fingerprint(question: unknown): Promise<string> {
  if (!crypto.subtle) throw new Refused('noSecureContext');
  const text = new TextEncoder().encode(json(question));
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', text));
  return [...digest.subarray(0, 8)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The program of this very page, in a worker: the page stays awake, and no second file is needed. */
function work(race: Race, progress: (done: number) => void): Promise<Solved> {
  const program = document.querySelector('body > script:not([type])')!.textContent!;
  const address = URL.createObjectURL(new Blob([program], { type: 'text/javascript' }));
  const worker = new Worker(address);
  return new Promise<Solved>((done, refused) => {
    worker.onerror = () => refused(new Refused('noWorker'));
    worker.onmessage = ({ data }: MessageEvent<Told>) => {
      if ('done' in data) progress(data.done);
      else if ('solved' in data) done(data.solved);
      else refused(new Refused('noBound'));
    };
    worker.postMessage(race);
  }).finally(() => {
    worker.terminate();
    URL.revokeObjectURL(address);
  });
}

/** Data and arrays of a page for these rules. */
export async function houseRules(
  data: PageData,
  arrays: Arrays,
  values: Values,
  progress: (done: number) => void,
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
  const turn = climb(turnNumbers, arrays.but(changed), add);

  const target = goal / grain;
  const units = (least: number) => Math.max(1, Math.ceil(least / grain));
  const [first, later] = [units(Math.max(opening, minimum)), units(minimum)];
  const needed = always ? Math.max(first, later) : Math.min(Math.max(first, later), target);
  const most = Math.max(target, needed) + Math.max(SPARE, turn.numbers[3]);
  const modesByPoints = reach(turn, most);
  const banks = [...modesByPoints].map((modes, t) => t > 0 && (modes & turn.numbers[5]) > 0);
  if (!banks.some((isBank, t) => isBank && t >= needed)) throw new Refused('nobodyWins', needed * grain);
  const scores = scoresOf(banks, first, later, target);
  const counts = Array.from({ length: target }, (_, score) => {
    const least = score ? later : first;
    return always ? least : Math.min(least, target - score);
  });
  const caps = counts.map((least, score) => Math.max(target - score, least));
  const slack = chosen.rounding + house.certain + 2 ** -51;
  const settled: [number, number] = [
    Math.max(house.settled, chosen.rounding / 8),
    Math.max(house.settled, chosen.rounding),
  ];
  const widen: [number, number] = [slack + settled[0], slack + settled[1]];
  const rules = rulesOf(house, values);
  const print = await fingerprint({ ...house.question, rules });
  const kernel = arrays.bytes('wasm.race').slice();
  const { certain } = house;
  const solved = await work(
    { kernel, turn, target, scores, counts, caps, passes: facts.passes, settled, widen, certain },
    progress,
  );
  const bound = solved.gap / 2 + widen[1];
  if (!(bound <= MOST_BOUND)) throw new Refused('noBound');

  changed.set('win', solved.win);
  changed.set(
    'caps',
    Int32Array.from(scores, (score) => caps[score]),
  );
  const usual = new Map(house.options.map((option) => [option.key, option.usual]));
  const listed = data.rules.map(([key, value, same, reason]): PageData['rules'][number] =>
    key in values ? [key, values[key], values[key] === usual.get(key), reason] : [key, value, same, reason],
  );
  const graph = chosen.graph ?? data.graph;
  const moved = new Set(chosen.choices);
  const least = scores.map((score) => {
    const points = Math.max(1, score ? minimum : Math.max(opening, minimum));
    return always ? points : Math.min(points, Math.max(1, goal - score * grain));
  });
  const possibleScores = new Set(scores);
  const impossible = [...counts.keys()].filter((score) => !possibleScores.has(score));
  const firstBank = Math.max(opening, minimum);
  const refusedScores = impossible.map((score): ImpossibleScores => {
    const points = score * grain;
    if (points < firstBank) return [points, points, 'firstBank', firstBank];
    return [points, points, 'noBanks', Math.max(minimum, grain)];
  });
  return {
    arrays: arrays.but(changed),
    data: {
      ...data,
      rules: listed,
      head: [
        data.head[0],
        ...('name' in rules
          ? [`rules: ${spacedJson(rules)}`]
          : listed.filter((one) => !one[2]).map(([key, value]) => `rule: ${key}=${String(value)}`)),
      ],
      name: data.name.replace(/[^:]*$/, print.slice(0, 8)),
      fingerprint: print,
      error_bound: bound,
      sheet: null,
      fields: chosen.fields ?? data.fields,
      turn: { ...turnNumbers, max_add: turn.numbers[3] },
      graph: {
        ...graph,
        choices: graph.choices.map((row, n): typeof row =>
          moved.has(n) ? [row[0], row[1], row[2] + more, row[3], row[4], row[5], row[6], row[7]] : row,
        ),
        throws: graph.throws.map((one) => ({
          ...one,
          held: digits(
            [...modesByPoints.subarray(0, target + SPARE)].map((modes) => ((modes >> one.mode) & 1) === 1),
          ),
        })),
      },
      match: {
        ...data.match,
        scores: scores.map((score) => score * grain),
        least,
        fresh: chosen.fresh ?? facts.fresh,
        at_last: least,
        target: goal,
        banks: digits(banks.slice(0, target + SPARE)),
        wrong: [...refusedScores, [goal, FAR, 'notBelowTarget', goal]],
      } as unknown as PageData['match'],
    },
  };
}
