/** Number formats, digit for digit the same as on the command line. */

/** Format with a number of decimals; halves are rounded to the even digit, as in Python. */
export function formatFixed(value: number, decimals: number): string {
  const text = Math.abs(value).toFixed(decimals);
  const long = Math.abs(value).toFixed(Math.min(100, decimals + 30));
  const tail = long.slice(long.indexOf('.') + 1 + decimals);
  let result = text;
  if (/^50*$/.test(tail)) {
    const low = decimals ? long.slice(0, long.length - tail.length) : long.slice(0, long.indexOf('.'));
    if ('02468'.includes(low[low.length - 1])) result = low;
  }
  return value < 0 ? `-${result}` : result;
}

/** Return the largest of any number of values; -Infinity if there are none. */
export function largest(values: Iterable<number>): number {
  let result = -Infinity;
  for (const value of values) if (value > result) result = value;
  return result;
}

/** Return the smallest of any number of values; Infinity if there are none. */
export function smallest(values: Iterable<number>): number {
  let result = Infinity;
  for (const value of values) if (value < result) result = value;
  return result;
}

/** Format with a number of significant digits, as Python's `g`. */
export function formatGeneral(value: number, digits: number): string {
  if (!value) return '0';
  const [mantissa, power] = value.toExponential(digits - 1).split('e');
  const exponent = Number(power);
  const trim = (text: string) => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);
  if (exponent < -4 || exponent >= digits) {
    const size = String(Math.abs(exponent)).padStart(2, '0');
    return `${trim(mantissa)}e${exponent < 0 ? '-' : '+'}${size}`;
  }
  return trim(value.toFixed(Math.max(0, digits - 1 - exponent)));
}

/** Group the digits: 1234567.8 as 1,234,567.8. */
export function grouped(value: number | string): string {
  const [whole, ...decimals] = String(value).split('.');
  return [whole.replace(/\B(?=(\d{3})+$)/g, ','), ...decimals].join('.');
}

/** Format the points of a turn: +450, or 0. */
export function formatGain(points: number): string {
  return points ? `+${grouped(points)}` : '0';
}

/** The units of numbers in a language; {0} is the number. */
export interface Units {
  percent: string;
  loss: string;
  over: string;
  below: string;
  win: string;
  reach: string;
  beat: string;
  margin: string;
  points: string;
  turns: string;
  chips: string;
}

export const ENGLISH_UNITS: Units = {
  percent: '{0}%',
  loss: '{0} pp',
  over: 'over {0}',
  below: 'below {0}',
  win: '{0} to win',
  reach: '{0} to get there',
  beat: '{0} to end above',
  margin: '{0} points of margin',
  points: '{0} points',
  turns: '{0} turns',
  chips: '{0} chips',
};

function withUnit(words: string, number: string): string {
  return words.replace('{0}', number);
}

/** Format a value too small for its decimals with two significant digits; below `limit`, say only that. */
function formatSmall(value: number, limit: number, units: Units): string {
  return value >= limit ? formatGeneral(value, 2) : withUnit(units.below, String(limit));
}

const SMALLEST = 0.001; // smaller positive values are shown as "below" it; for margins, turns and chips, a tenth of it

export function formatPercent(chance: number, units = ENGLISH_UNITS): string {
  const text = formatFixed(100 * chance, 1);
  if (text === '0.0' && chance > 0)
    return withUnit(units.percent, formatSmall(100 * chance, SMALLEST, units));
  if (text === '100.0' && chance < 1) return withUnit(units.over, withUnit(units.percent, '99.9'));
  return withUnit(units.percent, text);
}

/** Round a bound up to one digit. */
export function roundUp(bound: number): string {
  if (!bound) return '0';
  const exponent = Math.floor(Math.log10(bound));
  for (let digit = 1; digit <= 10; digit++) {
    const text = `${digit}e${exponent}`;
    if (Number(text) >= bound) return formatGeneral(Number(text), 1);
  }
  return formatGeneral(bound, 1);
}

/** Whether values for an objective are probabilities. */
export function isProbability(objective: string): objective is 'win' | 'reach' | 'beat' {
  return objective === 'win' || objective === 'reach' || objective === 'beat';
}

/** Format a value with its unit: 53.2% to win, 412.6 points, 10.452 turns. */
export function formatValue(value: number, objective: string, units = ENGLISH_UNITS): string {
  if (isProbability(objective)) return withUnit(units[objective], formatPercent(value, units));
  if (objective === 'margin') {
    const text = formatFixed(value, 3);
    const plain = Number(text) === 0 ? '0.000' : grouped(text);
    return withUnit(units.margin, `${plain.startsWith('-') ? '' : '+'}${plain}`);
  }
  if (objective === 'points' || objective === 'rate')
    return withUnit(units.points, grouped(formatFixed(value, 1)));
  return withUnit(units[objective as keyof Units], grouped(formatFixed(value, 3)));
}

/** Format a loss with its unit: 1.42 pp, 12.51 points, 0.0312 turns. */
export function formatLoss(loss: number, objective: string, units = ENGLISH_UNITS): string {
  const isChance = isProbability(objective);
  const isPoints = objective === 'points' || objective === 'rate';
  const words = isChance
    ? units.loss
    : isPoints || objective === 'margin'
      ? units.points
      : units[objective as keyof Units];
  const number = isChance ? 100 * loss : loss;
  const isFine = isChance || isPoints;
  const text = formatFixed(number, isFine ? 2 : 4);
  const isHidden = loss > 0 && Number(text) === 0;
  return withUnit(
    words,
    isHidden ? formatSmall(number, isFine ? SMALLEST : SMALLEST / 10, units) : grouped(text),
  );
}
