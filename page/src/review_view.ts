/** The view of a review: luck, errors and the costliest decisions. */
import { type App } from './app';
import { chart } from './chart';
import { button, type Child, h } from './dom';
import { gameButtons } from './party';
import { eventText, newest } from './play_view';
import { isProbability } from './numbers';
import { grade, type ReviewedStep, kindOf, review } from './review';
import { pointsOfChance } from './unit_text';
import { choiceText, formatLoss, formatPlain, translate, say, sayIn, formatSigned } from './words';

const COSTLIEST = 5;

export function reviewView(app: App): Child[] {
  const { data } = app;
  const game = app.reviewedGame ?? app.game;
  const { objective } = data;
  if (!game.steps.length) return [app.head(say('review')), gameButtons(app), h('p', {}, say('nothingYet'))];
  const judged = review(app.answers, game);
  const seats = judged.seats.map((seat) => [
    formatPlain(seat.start, objective, true),
    formatSigned(seat.luck, objective),
    formatSigned(-seat.ownErrors, objective),
    formatSigned(seat.fromOthers, objective),
    formatPlain(seat.outcome, objective, true),
    seat.decisions ? formatSigned(seat.ownErrors / seat.decisions, objective).replace(/^\+/, '') : '',
  ]);
  const isAlone = game.seats.length === 1;
  const heads = (['start', 'luck', 'errors', 'others', 'outcome', 'perChoice'] as const).map((key) =>
    isAlone && key === 'others' ? '' : say(key),
  );
  const names = game.seats.map((seat) => h('th', { scope: 'col' }, seat.name));
  const rows = heads.map((head, n) =>
    head
      ? h(
          'tr',
          {},
          h('th', { scope: 'row' }, head),
          seats.map((cells) => h('td', {}, cells[n] || say('none'))),
        )
      : null,
  );
  const summaries = judged.seats.map((seat, n) => {
    if (!seat.decisions) return say('nothingDecided', game.seats[n].name);
    const gradeText = isProbability(objective)
      ? say('graded', translate(grade(seat.ownErrors / seat.decisions)))
      : '';
    const outcomeWithoutLuck = formatPlain(seat.outcome - seat.luck, objective);
    return say(
      'short',
      game.seats[n].name,
      seat.mistakes,
      seat.decisions,
      formatLoss(seat.ownErrors, objective),
      gradeText,
      outcomeWithoutLuck,
    );
  });
  const costliest = judged.events.filter((event) => event.error > 0).sort((a, b) => b.error - a.error);
  const balance = [
    ...(data.players > 1 ? game.seats.slice(0, 1) : game.seats).map((seat, n) =>
      chart(judged, n, seat.name, data),
    ),
    h(
      'div',
      { class: 'wide', tabindex: 0, role: 'region', 'aria-label': say('review') },
      h('table', {}, h('tr', {}, h('td'), names), rows),
    ),
    h('p', {}, sayIn(data, isAlone ? 'meaningAlone' : 'meaning')),
    pointsOfChance(objective),
    h(
      'ul',
      {},
      summaries.map((line) => h('li', {}, line)),
    ),
  ];
  const details = [
    costliest.length ? h('h2', {}, say('costliest')) : null,
    h(
      'ol',
      {},
      costliest.slice(0, COSTLIEST).map((event) => {
        const number = judged.events.indexOf(event) + 1;
        const chosen = choiceText(event.step.choice!);
        const loss = formatLoss(event.error, objective);
        const best = choiceText(event.best!);
        return h(
          'li',
          {},
          say('mistake', game.seats[event.step.seat].name, chosen, loss, best),
          ` (${translate(errorKind(app, event))})`,
          h(
            'details',
            {},
            h('summary', {}, say('event', number)),
            h('code', {}, app.answers.table.id(event.step.position)),
          ),
        );
      }),
    ),
    h('h2', {}, sayIn(data, 'through')),
    newest(judged.events, (event) => {
      const valueText =
        judged.seats.length > 1 || isProbability(objective)
          ? ` ${formatPlain(event.value[0], objective)}`
          : '';
      return h(
        'li',
        {},
        say('whatFell', game.seats[event.step.seat].name, eventText(app, event.step)),
        h('span', { class: 'numbers' }, valueText),
        event.error > 0 ? h('span', { class: 'lost' }, ` -${formatLoss(event.error, objective)}`) : null,
      );
    }),
    h(
      'p',
      { class: 'no-print' },
      button(say('print'), () => window.print()),
    ),
  ];
  return [
    app.head(say('review')),
    gameButtons(app),
    h('p', {}, say(judged.isOver ? 'reviewOver' : 'reviewOpen')),
    h('div', { class: 'summary' }, [h('div', {}, balance), h('div', {}, details)]),
  ];
}

/** Return the kind of an error, with a separate word for tiles. */
function errorKind(app: App, event: ReviewedStep): string {
  const kind = kindOf(app.answers, event);
  return app.data.family === 'tiles' && kind === 'keeping' ? 'shutting' : kind;
}
