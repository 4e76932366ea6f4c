/** A line chart of the value after each event or turn of a game. */
import type { App } from './app';
import type { PageData } from './data';
import { h, svg } from './dom';
import { isProbability, largest, smallest } from './numbers';
import { formatLoss, formatPlain, say, sayIn } from './words';
import type { Review } from './review';

const WIDTH = 360;
const HEIGHT = 150;
const CHARACTER = 8; // width of a label character at font size 12; the percent sign is wider, the point narrower
const MOST_TURNS = 1000; // in the chart of a game that is played; of a longer game, the last ones
const GAP = 6; // between a label and its line

/** A mark of an error: the number of its value in the chart, and what it cost. */
interface Mark {
  n: number;
  cost: string;
}

/** Return the chart of a reviewed game for one seat, with a mark for each of its errors. */
export function chart(review: Review, seat: number, name: string, data: PageData): Element {
  const { objective } = data;
  const values = [review.start[seat], ...review.events.map((event) => event.value[seat])];
  const marks = review.events.flatMap((event, n) =>
    event.error > 0 && event.step.seat === seat
      ? [{ n: n + 1, cost: formatLoss(event.error, objective) }]
      : [],
  );
  const title = sayIn(data, isProbability(objective) ? 'chart' : 'chartPlain', name);
  return draw(values, marks, title, objective);
}

/** Return the chart of the first seat's chance to win after each turn; null if the page does not store these chances. */
export function turnsChart({ answers, data, game }: App): HTMLElement | null {
  const { problem } = answers.table;
  if (data.players === 1 || !isProbability(data.objective)) return null;
  const values = [game.start, ...game.steps.map((step) => step.after)]
    .filter((p) => p.isTurnStart || p.at === 'over')
    .slice(-MOST_TURNS)
    .map(({ b }) => (problem.result(b) ?? problem.storedValues(b))?.[0]);
  const chances = values.filter((value) => value !== undefined);
  if (chances.length < Math.max(2, values.length)) return null;
  const title = say('chartTurns', game.seats[0].name);
  return h(
    'figure',
    {},
    h('figcaption', { 'aria-hidden': 'true' }, title),
    draw(chances, [], title, data.objective),
  );
}

function draw(values: number[], marks: Mark[], title: string, objective: string): Element {
  const isChance = isProbability(objective);
  const low = isChance ? 0 : smallest(values);
  const high = isChance ? 1 : Math.max(largest(values), low + 1e-9);
  const y = (value: number) => 10 + (HEIGHT - 20) * (1 - (value - low) / (high - low));
  const label = (value: number) => formatPlain(value, objective, true);
  const levels = [low, (low + high) / 2, high];
  const leftEdge = GAP + CHARACTER * largest(levels.map((value) => label(value).length));
  const x = (n: number) => leftEdge + ((WIDTH - leftEdge - 8) * n) / Math.max(1, values.length - 1);
  const grid = levels.flatMap((value) => [
    svg('line', { class: 'axis', x1: leftEdge, x2: WIDTH - 8, y1: y(value), y2: y(value) }),
    svg('text', { x: leftEdge - GAP, y: y(value) + 4, 'text-anchor': 'end' }, label(value)),
  ]);
  const points = values.map((value, n) => `${x(n).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
  const dots = marks.map(({ n, cost }) =>
    svg('circle', { class: 'dot', cx: x(n), cy: y(values[n]), r: 4 }, svg('title', {}, cost)),
  );
  return svg(
    'svg',
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': title },
    svg('title', {}, title),
    grid,
    svg('polyline', { class: 'curve', points }),
    dots,
  );
}
