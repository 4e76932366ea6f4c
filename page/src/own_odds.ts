/** Odds of one's own for Booby Trap: the page's rules with them, for which its kernel solves the board. */
import type { Arrays, PageData } from './data';
import { Refused } from './problem';
import { phrase } from './refusals';
import { fingerprint, spacedJson } from './question';
import { SIZES } from './touch';

/** By size and by feel: of 100 pieces, how many feel so; and of 100 such pieces that are taken, how many trip the bar. */
export type OwnOdds = [chance: number, trip: number][][];

interface Facts {
  feels: string[];
  example_odds: boolean;
  question: { rules: Record<string, unknown> };
}

const NAME = 'given'; // the name of odds without one, as in rule files

function factsOf(data: PageData): Facts {
  return data.match as unknown as Facts;
}

/** Whether a page takes other odds: one with the examples that ship. */
export function takesOdds(data: PageData): boolean {
  return data.family === 'touch' && factsOf(data).example_odds;
}

/** Return the odds of the page, in whole numbers of 100. */
export function pageOdds(data: PageData, arrays: Arrays): OwnOdds {
  const { feels } = factsOf(data);
  const [chances, trips] = ['chance', 'trip'].map((name) => arrays.doubles(name));
  return SIZES.map((_, size) =>
    feels.map((_, feel) => {
      const place = size * feels.length + feel;
      return [Math.round(100 * chances[place]), Math.round(100 * trips[place])];
    }),
  );
}

/** Refuse odds that are not whole numbers from 0 to 100, or whose feels do not add up to 100. */
export function checkOdds(odds: OwnOdds): void {
  odds.forEach((feels, size) => {
    for (const number of feels.flat())
      if (!Number.isInteger(number) || number < 0 || number > 100)
        throw new Refused('oddsNumber', phrase(SIZES[size]));
    const sum = feels.reduce((total, [chance]) => total + chance, 0);
    if (sum !== 100) throw new Refused('oddsSum', phrase(SIZES[size]), sum);
  });
}

/** Return odds as the text of a link, such as "25.2,35.25,40.75;...": sizes, feels, and both numbers of each. */
export function oddsText(odds: OwnOdds): string {
  return odds.map((feels) => feels.map((numbers) => numbers.join('.')).join(',')).join(';');
}

/** Read odds from the text of a link. */
export function parseOdds(data: PageData, text: string): OwnOdds {
  const odds = text
    .split(';')
    .map((feels) => feels.split(',').map((numbers) => numbers.split('.').map(Number) as [number, number]));
  const isWhole =
    odds.length === SIZES.length &&
    odds.every(
      (feels) => feels.length === factsOf(data).feels.length && feels.every((one) => one.length === 2),
    );
  if (!isWhole) throw new Refused('linkRule', `odds=${text.slice(0, 40)}`);
  checkOdds(odds);
  return odds;
}

/** Return the odds of one's own that a game file was saved with; null if it has none. */
export function oddsOfFile(data: PageData, text: string): OwnOdds | null {
  const rules = /^rules: (.*)$/m.exec(text)?.[1];
  if (rules === undefined) return null;
  const percent = (fraction: string) => {
    const [numerator, denominator = '1'] = fraction.split('/');
    return (100 * Number(numerator)) / Number(denominator);
  };
  try {
    const { odds } = JSON.parse(rules) as {
      odds: Record<string, Record<string, Record<string, string>>> & { name: unknown };
    };
    if (odds.name !== NAME) return null;
    const read = SIZES.map((size) =>
      factsOf(data).feels.map((feel): [number, number] => {
        const { chance, trip } = odds[size][feel];
        return [percent(chance), percent(trip)];
      }),
    );
    checkOdds(read);
    return read;
  } catch {
    return null; // the file has other rules, and is refused as such
  }
}

/** Whether two odds are the same. */
export function isSameOdds(a: OwnOdds, b: OwnOdds): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Return a whole number of 100 as a fraction in lowest terms, as rule files have it. */
function fractionText(percent: number): string {
  let [divisor, rest] = [100, percent];
  while (rest) [divisor, rest] = [rest, divisor % rest];
  return divisor === 100 ? String(percent / 100) : `${percent / divisor}/${100 / divisor}`;
}

/** Return the data and the arrays of a page with these odds. */
export async function withOdds(
  data: PageData,
  arrays: Arrays,
  odds: OwnOdds,
): Promise<{ data: PageData; arrays: Arrays }> {
  const { feels, question } = factsOf(data);
  const ofSize = (size: number) =>
    Object.fromEntries(
      feels.map((feel, n) => {
        const [chance, trip] = odds[size][n].map(fractionText);
        return [feel, { chance, trip }];
      }),
    );
  const table = { name: NAME, ...Object.fromEntries(SIZES.map((size, n) => [size, ofSize(n)])) };
  const rules = { ...question.rules, odds: table };
  const print = await fingerprint({ ...question, rules });
  const column = (number: (chance: number, trip: number) => number) =>
    Float64Array.from(odds.flat().map(([chance, trip]) => number(chance, trip) / 100));
  const changed = new Map([
    ['chance', column((chance) => chance)],
    ['holds', column((_, trip) => 100 - trip)],
    ['trip', column((_, trip) => trip)],
  ]);
  const throws = data.graph.throws.map((row) => {
    const form = new Map(data.graph.forms[row.form]);
    const ofFeels = odds[SIZES.findIndex((size) => size === form.get('touched'))];
    if (!form.has('taking')) return { ...row, weights: ofFeels.map(([chance]) => chance) };
    const [, trip] = ofFeels[feels.indexOf(form.get('feel')!.replace(/_/g, ' '))];
    return { ...row, weights: [100 - trip, trip], mishap: trip / 100 };
  });
  return {
    arrays: arrays.but(changed),
    data: {
      ...data,
      how: data.how.slice(0, -1 - SIZES.length * feels.length), // without the lines on the odds of the page
      head: [data.head[0], `rules: ${spacedJson(rules)}`],
      name: data.name.replace(/[^:]*$/, print.slice(0, 8)),
      fingerprint: print,
      sheet: null,
      graph: { ...data.graph, throws },
      match: { ...data.match, example_odds: false } as unknown as PageData['match'],
    },
  };
}
