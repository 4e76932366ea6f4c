/** The stored game, and earlier games that were replaced. */
import { type App } from './app';
import { button, type Child, h } from './dom';
import { type StoredGame } from './keep';
import { fromLink } from './links';
import { visible } from './problem';
import { save } from './more_view';
import { grouped } from './numbers';
import { pointsOf } from './party';
import { eventText } from './play_view';
import { local, say } from './words';

const MOST_EARLIER = 5; // the most replaced games that are kept
const SHOWN_LENGTH = 60; // the most characters shown of the last line of a game

export function unreadableGame(app: App, text: string, reason: string): Child[] {
  const startAgain = () => {
    app.act(() => app.begin(app.newGame()));
    fromLink(app);
  };
  return [
    app.head(say('unreadable')),
    h('p', { class: 'error' }, reason),
    h('p', {}, say('unreadableText')),
    h('p', { class: 'row' }, [
      button(say('afresh'), startAgain, { class: 'deed', 'data-key': 'afresh' }),
      button(say('saveStored'), () => save(app, text), { 'data-key': 'save stored' }),
    ]),
  ];
}

/** Keep the current game before it is replaced; a game without events is not kept. */
export function setAside(app: App): void {
  const { unreadable, game, party } = app;
  const isBegun = game.begun || party.some((partyGame) => partyGame.begun);
  const replaced = unreadable ?? (isBegun ? app.record : null);
  app.unreadable = null;
  if (!replaced) return;
  const otherGames = app.earlier.filter((stored) => stored.text !== replaced.text);
  app.earlier = [replaced, ...otherGames].slice(0, MOST_EARLIER);
  app.message = say('setAside');
}

/** Replace the current game by an earlier one. */
export function goBackTo(app: App, earlier: StoredGame): void {
  const { game, party } = app.parseParty(earlier);
  app.earlier = app.earlier.filter((stored) => stored !== earlier);
  app.begin(game, party);
}

/** Return the names and scores of a stored game, to stand before other words, and its last event; "" for what it has not. */
function summaryOf(app: App, stored: StoredGame): { scores: string; last: string } {
  try {
    const { game, party } = app.parseParty(stored);
    const { problem } = app.answers.table;
    const players = party.length
      ? party.map((one) => [one.seats[0].name, pointsOf(app, one)] as const)
      : problem.scores(game.position.b).map((score, n) => [game.seats[n].name, score] as const);
    const scores = players.map(([name, score]) => `${name} ${local(grouped(score))} · `).join('');
    const step = game.enteredSteps[game.enteredSteps.length - 1];
    return { scores, last: step ? say('whatFell', game.seats[step.seat].name, eventText(app, step)) : '' };
  } catch {
    return { scores: '', last: '' };
  }
}

export function earlierGames(app: App): Child[] {
  if (!app.earlier.length) return [];
  const remove = (stored: StoredGame) =>
    app.act(() => void (app.earlier = app.earlier.filter((other) => other !== stored)));
  const items = app.earlier.map((stored, n) => {
    const [head, ...body] = stored.text.trim().split('\n\n');
    const lines = (body.length ? body.join('\n') : head).split('\n');
    const { scores, last } = summaryOf(app, stored);
    const lastEvent = visible((last || lines[lines.length - 1]).slice(0, SHOWN_LENGTH));
    const text = say('earlierGame', local(grouped(lines.length)), lastEvent);
    return h('li', {}, `${scores}${text}`, [
      h('div', { class: 'row' }, [
        button(say('resume'), () => app.act(() => goBackTo(app, stored)), { 'data-key': `resume ${n + 1}` }),
        button(say('saveEarlier'), () => save(app, stored.text), { 'data-key': `save ${n + 1}` }),
        button(say('remove'), () => remove(stored), { 'data-key': `remove ${n + 1}` }),
      ]),
    ]);
  });
  return [h('h2', {}, say('earlier')), h('p', {}, say('earlierText', MOST_EARLIER)), h('ol', {}, items)];
}

/** Return a button that goes back to the replaced game; null once the new game has begun. */
export function backToEarlier(app: App): HTMLElement | null {
  const [earlier] = app.earlier;
  if (!earlier || app.game.begun || app.party.length) return null;
  const goBack = () => app.act(() => goBackTo(app, earlier));
  return h('p', { class: 'no-print' }, button(say('backToEarlier'), goBack, { 'data-key': 'earlier' }));
}
