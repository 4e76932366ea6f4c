/** A line chart of the value after each event of a game. */
import { svg } from './dom';
import { largest, smallest } from './numbers';
import { formatLoss, formatPlain, say } from './words';
import { type Review, isProbability } from './review';

const WIDTH = 360;
const HEIGHT = 150;
const CHARACTER = 8; // width of a label character at font size 12; the percent sign is wider, the point narrower
const GAP = 6; // between a label and its line

export function chart(review: Review, seat: number, name: string, objective: string): Element {
  const values = [review.start[seat], ...review.events.map((event) => event.value[seat])];
  const isChance = isProbability(objective);
  const low = isChance ? 0 : smallest(values);
  const high = isChance ? 1 : Math.max(largest(values), low + 1e-9);
  const y = (value: number) => 10 + (HEIGHT - 20) * (1 - (value - low) / (high - low));
  const label = (value: number) => formatPlain(value, objective, true);
  const title = say(isChance ? 'chart' : 'chartPlain', name);
  const levels = [low, (low + high) / 2, high];
  const leftEdge = GAP + CHARACTER * largest(levels.map((value) => label(value).length));
  const x = (n: number) => leftEdge + ((WIDTH - leftEdge - 8) * n) / Math.max(1, values.length - 1);
  const grid = levels.flatMap((value) => [
    svg('line', { class: 'axis', x1: leftEdge, x2: WIDTH - 8, y1: y(value), y2: y(value) }),
    svg('text', { x: leftEdge - GAP, y: y(value) + 4, 'text-anchor': 'end' }, label(value)),
  ]);
  const points = values.map((value, n) => `${x(n).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
  const dots = review.events.flatMap((event, n) =>
    event.error > 0 && event.step.seat === seat
      ? [
          svg(
            'circle',
            { class: 'dot', cx: x(n + 1), cy: y(event.value[seat]), r: 4 },
            svg('title', {}, formatLoss(event.error, objective)),
          ),
        ]
      : [],
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
