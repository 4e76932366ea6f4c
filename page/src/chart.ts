/** The chance to win through a game, as a line. */
import { svg } from './dom';
import { cost, percent, say, worth } from './words';
import { type Review, chances } from './review';

const WIDTH = 360;
const HEIGHT = 150;
const LEFT = 44;

export function chart(review: Review, seat: number, name: string, objective: string): Element {
  const values = [review.start[seat], ...review.events.map((event) => event.value[seat])];
  const share = chances(objective);
  const low = share ? 0 : Math.min(...values);
  const high = share ? 1 : Math.max(...values, low + 1e-9);
  const x = (n: number) => LEFT + ((WIDTH - LEFT - 8) * n) / Math.max(1, values.length - 1);
  const y = (value: number) => 10 + (HEIGHT - 20) * (1 - (value - low) / (high - low));
  const label = (value: number) => (share ? percent(value) : worth(value, objective));
  const title = say(share ? 'chart' : 'chartPlain', name);
  const grid = [low, (low + high) / 2, high].flatMap((value) => [
    svg('line', { class: 'axis', x1: LEFT, x2: WIDTH - 8, y1: y(value), y2: y(value) }),
    svg('text', { x: 0, y: y(value) + 4 }, label(value).split(' ').slice(0, 2).join(' ')),
  ]);
  const points = values.map((value, n) => `${x(n).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
  const dots = review.events.flatMap((event, n) =>
    event.error > 0 && event.step.seat === seat
      ? [
          svg(
            'circle',
            { class: 'dot', cx: x(n + 1), cy: y(event.value[seat]), r: 4 },
            svg('title', {}, cost(event.error, objective)),
          ),
        ]
      : [],
  );
  return svg(
    'svg',
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': title },
    svg('title', {}, title),
    ...grid,
    svg('polyline', { class: 'curve', points }),
    ...dots,
  );
}
