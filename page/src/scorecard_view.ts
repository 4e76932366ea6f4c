/** The scorecard: the points in each box, and the points that the current dice would score in open boxes. */
import type { Advice, Ranked } from './answers';
import type { App } from './app';
import { filledBoxes } from './card_facts';
import type { CardTable } from './card_table';
import type { BoxEntry } from './choices';
import { button, type Child, h } from './dom';
import type { Game } from './game';
import type { Position } from './play';
import { boxText, capital, formatLoss, local, say } from './words';

/** An open box: the points that it would score, and the choice that enters it. */
interface Offer {
  entry: BoxEntry;
  choice: Ranked | null;
}

/** Return the points in each box that the events of the game show; other boxes are missing. */
function pointsOf({ steps }: Game): Map<string, number> {
  const points = new Map<string, number>();
  for (const { choice, kind, text: said } of steps) {
    if (choice?.data.type === 'BoxEntries')
      for (const entry of choice.data.entries) points.set(entry.box, entry.points);
    if (kind === 'turn')
      for (const part of said
        .replace(/^turn /, '')
        .replace(/_/g, ' ')
        .split(',')) {
        const words = part.trim().split(/\s+/);
        points.set(words.slice(0, -1).join(' '), Number(words[words.length - 1]));
      }
  }
  return points;
}

function entriesOf(choice: { data: Ranked['data'] }): BoxEntry[] {
  return choice.data.type === 'BoxEntries' ? choice.data.entries : [];
}

/** For each open box, return the best choice that enters it and the box tapped before, if any. */
function offers(app: App, table: CardTable, p: Position, advice: Advice | null): Map<string, Offer> {
  const boxOffers = new Map<string, Offer>();
  const entryChoices = (advice?.choices ?? []).filter((choice) => choice.kind === 'enter');
  const fits = (choice: Ranked) =>
    !app.tappedBox || entriesOf(choice).some((entry) => entry.box === app.tappedBox);
  for (const choice of entryChoices.filter(fits))
    for (const entry of entriesOf(choice))
      if (!boxOffers.has(entry.box)) boxOffers.set(entry.box, { entry, choice });
  if (!entryChoices.length && p.at === 'choose' && table.facts.boxes === 1)
    for (const choice of table.entryChoices(p))
      for (const entry of entriesOf(choice))
        if (!boxOffers.has(entry.box)) boxOffers.set(entry.box, { entry, choice: null });
  return boxOffers;
}

export function scorecard(
  app: App,
  table: CardTable,
  p: Position,
  advice: Advice | null,
  isSecret: boolean,
  choose: (choice: Ranked) => void,
  game = app.game,
): Child {
  const { names, upper, bonuses, boxes } = table.facts;
  const { isUsed, upperTotal } = filledBoxes(p.b);
  const points = app.quiz ? new Map<string, number>() : pointsOf(game);
  const boxOffers = p.at === 'choose' ? offers(app, table, p, advice) : new Map<string, Offer>();
  const tap = (box: string, choice: Ranked) => {
    if (boxes === 1 || (app.tappedBox && app.tappedBox !== box)) choose(choice);
    else app.act(() => void (app.tappedBox = app.tappedBox ? '' : box), false);
  };
  const isUpper = (n: number) => ((upper >> n) & 1) === 1;
  const row = (name: string, n: number) =>
    h(
      'li',
      { class: isUsed(n) ? 'box used' : app.tappedBox === name && boxes === 1 ? 'box asked' : 'box' },
      isUsed(n) ? filledBox(name, points.get(name)) : openBox(app, name, boxOffers.get(name), isSecret, tap),
    );
  const rows = names.map((name, n) => ({ n, item: row(name, n) }));
  const leftCount = upper ? 0 : Math.ceil(names.length / 2); // without upper boxes, two columns of equal length
  const goal = bonuses.length - 1;
  const bonus = bonuses[goal];
  return h('section', { class: 'card', 'aria-label': say('scorecard') }, [
    h('h3', {}, app.party.length ? say('cardOf', game.seats[0].name) : say('scorecard')),
    [...boxOffers.values()].some(({ choice }) => !choice) && !isSecret && !app.isPractice
      ? h('p', { class: 'hint' }, say('orEnter'))
      : null,
    boxes > 1 && boxOffers.size
      ? h('p', { class: 'hint' }, app.tappedBox ? say('tapSecond', boxText(app.tappedBox)) : say('tapTwo'))
      : null,
    h('div', { class: 'columns' }, [
      upper
        ? h('ol', { class: 'boxes', 'aria-label': say('upper') }, [
            rows.filter(({ n }) => isUpper(n)).map(({ item }) => item),
            h('li', { class: 'box bonus' }, [
              h('span', {}, say('bonus', bonus)),
              h('b', {}, `${Math.min(upperTotal, goal)} / ${goal}`),
            ]),
          ])
        : h('ol', { class: 'boxes', 'aria-label': say('boxes') }, [
            rows.slice(0, leftCount).map(({ item }) => item),
          ]),
      h(
        'ol',
        { class: 'boxes', 'aria-label': say('boxes'), start: leftCount + 1 },
        rows.filter(({ n }) => !isUpper(n) && n >= leftCount).map(({ item }) => item),
      ),
    ]),
  ]);
}

function filledBox(name: string, points: number | undefined): Child {
  return [h('span', {}, boxText(name)), h('b', {}, points === undefined ? '✓' : String(points))];
}

/** Keep all dice before the last roll, and enter them in a box. */
function enterNow(app: App, box: string): void {
  const { table } = app.answers;
  app.play(() => {
    const keepChoices = table.choices(app.game.position);
    const keepAll = keepChoices.find((choice) => choice.kind === 'keep' && choice.then === 'end')!;
    app.game.choose(keepAll, keepChoices.length);
    if (app.game.position.at !== 'choose') return; // the only open box is filled without a choice
    const entryChoices = table.choices(app.game.position);
    app.game.choose(
      entryChoices.find((choice) => entriesOf(choice).some((entry) => entry.box === box))!,
      entryChoices.length,
    );
  });
}

function openBox(
  app: App,
  name: string,
  offer: Offer | undefined,
  isSecret: boolean,
  tap: (box: string, choice: Ranked) => void,
): Child {
  if (!offer) return [h('span', {}, boxText(name)), h('span', { class: 'numbers' }, '–')];
  const { entry, choice } = offer;
  if (!choice && (isSecret || app.isPractice))
    return [h('span', {}, boxText(name)), h('span', { class: 'numbers' }, local(String(entry.points)))];
  if (!choice)
    return app.tappedBox === name
      ? [
          h('span', {}, say('enterNow', local(String(entry.points)), capital(boxText(name)))),
          h(
            'div',
            { class: 'row' },
            button(say('enter'), () => enterNow(app, name), { class: 'deed', 'data-key': `box ${name}` }),
            button(say('cancel'), () => app.act(() => void (app.tappedBox = ''), false)),
          ),
        ]
      : h(
          'button',
          {
            type: 'button',
            'data-key': `box ${name}`,
            onclick: () => {
              app.act(() => void (app.tappedBox = name), false);
              app.find(`box ${name}`)?.scrollIntoView({ block: 'nearest' });
            },
          },
          h('span', {}, boxText(name)),
          h('span', { class: 'numbers' }, local(String(entry.points))),
        );
  const costText = choice.tie
    ? say('best')
    : say('costs', formatLoss(choice.loss, app.adviser.data.objective, true));
  return h(
    'button',
    {
      type: 'button',
      class: choice.tie && !isSecret ? 'best' : '',
      'aria-pressed': app.tappedBox === name ? 'true' : undefined,
      'data-key': `box ${name}`,
      onclick: () => tap(name, choice),
    },
    h('span', {}, boxText(name)),
    h('b', {}, local(String(entry.points))),
    isSecret ? null : h('span', { class: 'numbers' }, costText),
  );
}
