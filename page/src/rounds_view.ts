/** The table of the points of each round or frame, with a row for every seat. */
import type { App } from './app';
import { h } from './dom';
import { local, say } from './words';

const COUNTED = ['round', 'frame'] as const;

/** Return the table of rounds or frames; null for games that do not count them. */
export function roundsTable(app: App): HTMLElement | null {
  const { problem } = app.answers.table;
  const { rounds, frames } = app.data.match as unknown as { rounds?: number; frames?: number };
  const total = rounds || frames || 0;
  const { seats, steps, position } = app.game;
  if (!total || !problem.scores(position.b).length) return null;
  const numberOf = (b: typeof position.b) =>
    Number(problem.formatFields(b).find(([name]) => (COUNTED as readonly string[]).includes(name))?.[1] ?? 0);
  const pointsByRound = seats.map(() => new Map<number, number>());
  for (const { position: before, after, seat, choice, text } of steps) {
    if (!after.isTurnStart && after.at !== 'over') continue;
    const number = numberOf(before.b);
    const [scoreBefore, scoreAfter] = [problem.scores(before.b)[seat], problem.scores(after.b)[seat]];
    // After a tie the scores count from 0.
    const isTie = !!problem.findTie?.(before.b, after.b);
    const points = isTie ? (choice?.points ?? Number(text.replace('turn ', ''))) : scoreAfter - scoreBefore;
    if (number) pointsByRound[seat].set(number, points);
  }
  const currentRound = position.at === 'over' ? 0 : numberOf(position.b);
  const numbers = Array.from({ length: total }, (_, n) => n + 1);
  const title = say(rounds ? 'rounds' : 'frames');
  return h(
    'div',
    { class: 'wide', tabindex: 0, role: 'region', 'aria-label': title },
    h('table', { class: 'rounds' }, [
      h('tr', {}, [
        h('th', { scope: 'col' }, title),
        numbers.map((n) =>
          h(
            'th',
            {
              scope: 'col',
              class: n === currentRound ? 'now' : '',
              'aria-current': n === currentRound ? 'step' : undefined,
            },
            String(n),
          ),
        ),
      ]),
      seats.map((seat, n) =>
        h('tr', {}, [
          h('th', { scope: 'row' }, seat.name),
          numbers.map((number) => {
            const points = pointsByRound[n].get(number);
            return h(
              'td',
              { class: number === currentRound ? 'now' : '' },
              points === undefined ? '' : local(String(points)),
            );
          }),
        ]),
      ),
    ]),
  );
}
