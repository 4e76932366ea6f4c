/** Several people who each play a game of one player, for points: one game per person, and the turn order. */
import type { App } from './app';
import type { Game } from './game';
import { type Child, button, h } from './dom';
import { largest, smallest } from './numbers';
import { local, say } from './words';

export const MOST_PEOPLE = 6;

/** Whether people can take turns at a game of one player: each has a scorecard, or one turn with the tiles. */
function isTurnShared({ data }: App): boolean {
  return data.family === 'card' || (data.family === 'tiles' && data.objective === 'points');
}

/** Whether people can share a page. */
export function isShared(app: App): boolean {
  return app.engine !== null && app.data.players === 1 && isTurnShared(app);
}

/** After a turn, switch to the next person whose game is not over. */
export function passTurn(app: App, before: { game: Game; steps: Game['steps'] }): void {
  const { party, game } = app;
  if (party.length < 2 || game !== before.game || game.steps.length <= before.steps.length) return;
  if (!game.position.isTurnStart && !game.isOver) return;
  const place = party.indexOf(game);
  const nextGames = party.map((_, n) => party[(place + 1 + n) % party.length]);
  app.game = nextGames.find((otherGame) => !otherGame.isOver) ?? game;
}

/** At the start of a turn, switch back to the person who played before. */
export function stepBack(app: App): void {
  const { party, game } = app;
  if (party.length < 2 || !game.position.isTurnStart) return;
  const place = party.indexOf(game);
  const earlier = party[(place + party.length - 1) % party.length];
  if (earlier.enteredSteps.length) app.game = earlier;
}

/** Return the points of a game; once it is over, its final result. */
export function pointsOf(app: App, game: Game): number {
  const { problem } = app.answers.table;
  const result = problem.result(game.position.b)?.[0];
  if (result !== undefined) return app.data.fewer ? 0 - result : result;
  return problem.scores(game.position.b)[0] ?? 0;
}

/** Name the winners once all games are over; "" before, and for one person. */
export function winnersOf(app: App): string {
  const { party } = app;
  if (party.length < 2 || party.some((game) => !game.isOver)) return '';
  const top = (app.data.fewer ? smallest : largest)(party.map((game) => pointsOf(app, game)));
  const names = party.filter((game) => pointsOf(app, game) === top).map((game) => game.seats[0].name);
  return say(names.length > 1 ? 'shared' : 'wins', names.join(', '));
}

/** Return buttons that show the game of each person. */
export function gameButtons(app: App): Child {
  const { party } = app;
  if (party.length < 2) return null;
  return h(
    'p',
    { class: 'row no-print' },
    party.map((game, n) =>
      button(
        `${game.seats[0].name}: ${local(String(pointsOf(app, game)))}`,
        () => app.act(() => void (app.reviewedGame = game)),
        {
          'aria-pressed': game === (app.reviewedGame ?? app.game) ? 'true' : 'false',
          'data-key': `whose ${n}`,
        },
      ),
    ),
  );
}
