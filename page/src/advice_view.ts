/** Choices with their values, the best first, and what to do in a sentence. */
import { type Advice, saysMixed } from './answers';
import { type App } from './app';
import { board, isOnBoard } from './board_view';
import { CardTable } from './card_table';
import { isSameChoice } from './choices';
import { button, type Child, h } from './dom';
import { type Choice, type Position } from './play';
import { pagePlays } from './practice_view';
import { chances } from './review';
import { scorecard } from './scorecard_view';
import { isKeeping, tray } from './tray_view';
import { tilesStanding, tilesUp } from './tiles_view';
import { choiceText, cost, percent, said, say, worth } from './words';

export const SHOWN = 12;
const SHOWN_BELOW = 3; // where dice or boxes are tapped: the whole list is one tap away

export function choosing(app: App, p: Position): Child[] {
  const advice = app.answers.advise(p);
  const { table } = app.answers;
  const choose = (one: Choice) =>
    app.practising
      ? answered(app, advice, one)
      : app.played(() => app.game.choose(one, advice.choices.length));
  if (app.practising) return withoutValues(app, p, advice, choose);
  const above = onTheTable(app, p, advice, false, choose);
  const isListed = !isKeeping(advice) && !(table instanceof CardTable);
  app.status.textContent = sentence(app, advice);
  app.isRepeated = !advice.note && !saysMixed(advice.choices, advice.mixed);
  const ranked = advice.choices.filter((one) => !isOnBoard(one));
  const shown = app.all ? ranked : ranked.slice(0, isListed ? SHOWN : SHOWN_BELOW);
  const count = ranked.length;
  if (!count) return [h('div', { class: 'game' }, above)];
  return [
    h('div', { class: 'game' }, above),
    h('div', { class: 'advice' }, [
      h('h3', {}, say('choices')),
      list(
        shown.map((one) => {
          const isBest = one.tie || one === advice.choices[0];
          const loss = isBest ? say('best') : say('costs', cost(one.loss, app.data.objective));
          const busts = one.bust ? `${said(app.data.mishap[0])} ${percent(one.bust)}` : '';
          const numbers = [worth(one.value, app.data.objective), loss, busts].filter(Boolean);
          return h(
            'li',
            {},
            h(
              'button',
              {
                type: 'button',
                class: isBest ? 'best' : '',
                onclick: () => choose(one),
              },
              h('span', {}, choiceText(one)),
              h(
                'span',
                { class: 'numbers' },
                numbers.flatMap((words, k) => [k ? ' · ' : '', h('span', {}, words)]),
              ),
            ),
          );
        }),
      ),
      count > shown.length ? allChoices(app, count) : null,
      pointsOfChance(app.data.objective),
    ]),
  ];
}

function allChoices(app: App, count: number): HTMLElement {
  return button(say('moreChoices', count), () => app.act(() => void (app.all = true)), {
    'data-key': 'all choices',
  });
}

/** What the unit of a cost means, where costs are chances. */
export function pointsOfChance(objective: string): HTMLElement | null {
  return chances(objective) ? h('p', { class: 'hint' }, say('unit')) : null;
}

/** Dice, tiles, pieces and boxes, to be tapped. */
function onTheTable(
  app: App,
  p: Position,
  advice: Advice,
  isSecret: boolean,
  choose: (choice: Choice) => void,
): Child[] {
  const { table } = app.answers;
  const isTapped = isKeeping(advice);
  const up = tilesUp(app, p);
  return [
    up || !isTapped ? app.lying(table.shown(p)) : null,
    isTapped ? tray(app, up ?? table.shown(p), advice, isSecret, choose) : tilesStanding(app, p),
    board(app, p, advice, isSecret, choose),
    table instanceof CardTable ? scorecard(app, table, p, advice, isSecret, choose) : null,
  ];
}

/** A decision without values, in practice and in the quiz; where dice or boxes are tapped, the list is one tap away. */
export function withoutValues(
  app: App,
  p: Position,
  advice: Advice,
  choose: (choice: Choice) => void,
): Child[] {
  const { table } = app.answers;
  const order = table.choices(p).filter((one) => !isOnBoard(one));
  const isListed = app.all || (!isKeeping(advice) && !(table instanceof CardTable));
  const choices = isListed
    ? list(order.map((choice) => bare(choice, () => choose(choice))))
    : allChoices(app, order.length);
  return [
    h('div', { class: 'game' }, onTheTable(app, p, advice, true, choose)),
    order.length ? h('div', { class: 'advice' }, choices) : null,
  ];
}

export function list(items: HTMLElement[]): HTMLElement {
  return h('ol', { class: 'choices', 'aria-label': say('choices') }, items);
}

export function bare(choice: Choice, act: () => void): HTMLElement {
  return h('li', {}, h('button', { type: 'button', onclick: act }, h('span', {}, choiceText(choice))));
}

/** A choice made in practice: what it cost, and the page's own turns. */
export function answered(app: App, advice: Advice, choice: Choice): void {
  app.played(() => {
    app.game.choose(choice, advice.choices.length);
    app.message = [verdict(app, advice, choice), pagePlays(app)].filter(Boolean).join(' ');
  });
}

export function verdict(app: App, advice: Advice, choice: Choice): string {
  const made = advice.choices.find((one) => isSameChoice(one, choice))!;
  if (made.tie) return say('right', choiceText(made));
  return say('thatCost', cost(made.loss, app.data.objective), choiceText(advice.choices[0]));
}

/** What to do and what the rest costs, in a sentence or two. */
export function sentence(app: App, { choices, note, mixed }: Advice): string {
  const objective = app.data.objective;
  const [best, ...rest] = choices;
  const ties = rest.filter((one) => one.tie);
  const other = rest.find((one) => !one.tie);
  let text = `${choiceText(best)}: ${worth(best.value, objective)}`;
  if (best.bust) text += say('busting', said(app.data.mishap[1]), percent(best.bust));
  if (ties.length) text += say('justAsGood', ties.map((one) => choiceText(one)).join('; '));
  if (other) text += say('nextBest', choiceText(other), cost(other.loss, objective));
  return [`${text}.`, note, saysMixed(choices, mixed) ? mixedTurns(mixed, choices.length) : '']
    .filter(Boolean)
    .join(' ');
}

export function mixedTurns([first, second]: Advice['mixed'], choices: number): string {
  const [often, otherwise] = [percent(first.share), percent(second.share)];
  return choices === 1
    ? say('mixedHere', often, otherwise)
    : say('mixed', often, choiceText(first.choice), otherwise, choiceText(second.choice));
}
