/** The scores at the top of the page, and the value of the position for every seat. */
import { type App } from './app';
import { h, replace } from './dom';
import { grouped, isProbability } from './numbers';
import { pointsOf } from './party';
import type { Position } from './play';
import { local, say, formatValue } from './words';

export function showScores(app: App): void {
  app.scores.hidden = !app.engine || app.view === 'more' || app.unreadable !== null;
  if (app.scores.hidden) return;
  if (app.quiz) return showQuizScores(app, app.quiz.position);
  const { table } = app.answers;
  const p = app.game.position;
  const scores = table.problem.scores(p.b);
  const values = p.at === 'over' ? null : app.answers.values(p);
  const isTotal = p.at === 'over' && app.data.players === 1 && app.data.objective === 'points';
  const mover = p.at === 'over' ? -1 : table.mover(p);
  if (app.party.length) return showPeople(app);
  app.scores.setAttribute('aria-label', say('position'));
  replace(
    app.scores,
    app.game.seats.map((seat, n) => {
      const isChance = values && isProbability(app.data.objective);
      return h(
        'li',
        { class: n === mover ? 'moves' : '' },
        h('span', {}, n === mover ? say('yourTurn', seat.name) : seat.name),
        n < scores.length ? h('b', {}, local(grouped(isTotal ? pointsOf(app, app.game) : scores[n]))) : null,
        rulesOfSeat(app, n),
        values
          ? h('span', {}, isChance ? formatValue(values[n], app.data.objective) : onAverage(app, values[n]))
          : null,
        isChance
          ? h('meter', { min: 0, max: 1, value: values[n], 'aria-label': say('toWin', seat.name) })
          : null,
      );
    }),
  );
}

/** Return an expected value; of tiles, the points that are left at the end of the turn. */
function onAverage({ data }: App, value: number): string {
  const isLeft = data.family === 'tiles' && data.objective === 'points';
  return say(isLeft ? 'expectedLeft' : 'expected', formatValue(value, data.objective));
}

/** Return the dice and the rules of a seat, if players have different rules. */
function rulesOfSeat(app: App, seat: number): HTMLElement | null {
  const rules = app.data.seats?.[seat];
  return rules ? h('small', {}, rules) : null;
}

/** Show the scores of a quiz position, from the player to move on. */
function showQuizScores(app: App, p: Position): void {
  const { problem } = app.answers.table;
  const mover = app.answers.table.mover(p);
  const scores = problem.scores(p.b);
  app.scores.hidden = !scores.length;
  app.scores.setAttribute('aria-label', say('position'));
  replace(
    app.scores,
    app
      .usualSeats('table')
      .map(({ name }, n, seats) =>
        h('li', { class: n ? '' : 'moves' }, [
          h('span', {}, n ? name : say('yourTurn', name)),
          h('b', {}, local(grouped(scores[(mover + n) % seats.length]))),
          rulesOfSeat(app, (mover + n) % seats.length),
        ]),
      ),
  );
}

/** Whether a game has a total; a game of one turn has one only once it is over. */
function hasPoints(app: App, game: App['game']): boolean {
  return game.isOver || app.answers.table.problem.scores(game.position.b).length > 0;
}

/** Show the totals of all people who share the page, and mark the player to move. */
function showPeople(app: App): void {
  const { party, game } = app;
  app.scores.setAttribute('aria-label', say('position'));
  replace(
    app.scores,
    party.map((partyGame) => {
      const isMover = partyGame === game && !partyGame.isOver;
      const { name } = partyGame.seats[0];
      const [value] = partyGame.isOver ? [null] : app.answers.values(partyGame.position);
      const beat = isMover && app.beat?.answers(app);
      return h('li', { class: isMover ? 'moves' : '' }, [
        h('span', {}, isMover ? say('yourTurn', name) : name),
        hasPoints(app, partyGame) ? h('b', {}, local(grouped(pointsOf(app, partyGame)))) : null,
        value === null ? null : h('span', {}, onAverage(app, value)),
        beat ? h('span', {}, formatValue(beat.values(partyGame.position)[0], 'beat')) : null,
      ]);
    }),
  );
}
