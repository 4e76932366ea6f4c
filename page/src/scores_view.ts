/** The scores at the top, and what the position is worth for every seat. */
import { type App } from './app';
import { h, replace } from './dom';
import { grouped } from './numbers';
import { chances } from './review';
import { local, say, worth } from './words';

export function showScores(app: App): void {
  app.scores.hidden = !app.engine || app.view === 'more' || app.quiz !== null || app.unreadable !== null;
  if (app.scores.hidden) return;
  const { table } = app.answers;
  const p = app.game.position;
  const held = table.match.scores(p.b);
  const values = p.at === 'over' ? null : app.answers.values(p);
  const mover = p.at === 'over' ? -1 : table.mover(p);
  app.scores.setAttribute('aria-label', say('position'));
  replace(
    app.scores,
    app.game.seats.map((seat, n) => {
      const share = values && chances(app.data.objective);
      return h(
        'li',
        { class: n === mover ? 'moves' : '' },
        h('span', {}, n === mover ? say('yourTurn', seat.name) : seat.name),
        held.length ? h('b', {}, local(grouped(held[n]))) : null,
        values
          ? h(
              'span',
              {},
              share
                ? worth(values[n], app.data.objective)
                : say('expected', worth(values[n], app.data.objective)),
            )
          : null,
        share
          ? h('meter', { min: 0, max: 1, value: values[n], 'aria-label': say('toWin', seat.name) })
          : null,
      );
    }),
  );
}
