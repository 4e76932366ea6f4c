/** Choices with their values, best first, and the advice in one sentence. */
import { type Advice, saysMixed } from './answers';
import { type App } from './app';
import { board, isOnBoard } from './board_view';
import { CardTable } from './card_table';
import { isSameChoice } from './choices';
import { button, type Child, h, numberList } from './dom';
import { type Choice, type Position } from './play';
import { pagePlays } from './practice_view';
import { scorecard } from './scorecard_view';
import { isKeeping, tray } from './tray_view';
import { tilesStanding, tilesUp } from './tiles_view';
import { pointsOfChance } from './unit_text';
import { choiceText, formatLoss, formatPercent, mishapText, say, formatValue } from './words';

export const SHOWN = 12;
const SHOWN_BELOW = 3; // where the player taps dice or boxes; one more tap shows all choices

export function decisionView(app: App, p: Position): Child[] {
  const { adviser } = app;
  const { objective } = adviser.data;
  const advice = adviser.advise(p);
  const { table } = app.answers;
  const choose = (choice: Choice) =>
    app.isPractice
      ? chooseInPractice(app, advice, choice)
      : app.play(() => app.game.choose(choice, advice.choices.length));
  if (app.isPractice) return withoutValues(app, p, advice, choose);
  const game = tableItems(app, p, advice, false, choose);
  const isListed = !isKeeping(advice) && (ONLY_RACES || !(table instanceof CardTable));
  app.status.textContent = sentence(app, advice);
  app.isRepeated = !advice.note && !saysMixed(advice.choices, advice.mixed);
  const ranked = advice.choices.filter((choice) => !isOnBoard(choice));
  const listed = app.showsAll ? ranked : ranked.slice(0, isListed ? SHOWN : SHOWN_BELOW);
  const count = ranked.length;
  const unit = pointsOfChance(objective);
  if (!count) return [h('div', { class: 'game' }, game)];
  return [
    h('div', { class: 'game' }, game),
    h('div', { class: 'advice' }, [
      h('h3', {}, say('choices')),
      isListed ? unit : null,
      list(
        listed.map((choice) => {
          const isBest = choice.tie || choice === advice.choices[0];
          const loss = isBest ? say('best') : say('costs', formatLoss(choice.loss, objective));
          const busts = choice.bust ? `${mishapText(app.data, 0)} ${formatPercent(choice.bust)}` : '';
          const numbers = [formatValue(choice.value, objective), loss, busts];
          return h(
            'li',
            {},
            h(
              'button',
              {
                type: 'button',
                class: isBest ? 'best' : '',
                onclick: () => choose(choice),
              },
              h('span', {}, choiceText(choice)),
              numberList(numbers),
            ),
          );
        }),
      ),
      count > listed.length ? allChoices(app, count) : null,
      isListed ? null : unit,
    ]),
  ];
}

function allChoices(app: App, count: number): HTMLElement {
  return button(say('moreChoices', count), () => app.act(() => void (app.showsAll = true)), {
    'data-key': 'all choices',
  });
}

/** Return the dice, tiles, pieces and boxes that the player can tap. */
function tableItems(
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
    up || !isTapped ? app.diceRow(table.rolledDice(p)) : null,
    isTapped ? tray(app, up ?? table.rolledDice(p), advice, isSecret, choose) : tilesStanding(app, p),
    board(app, p, advice, isSecret, choose),
    !ONLY_RACES && table instanceof CardTable ? scorecard(app, table, p, advice, isSecret, choose) : null,
  ];
}

/** Show a decision without values. Where the player taps dice or boxes, a button opens the list. */
export function withoutValues(
  app: App,
  p: Position,
  advice: Advice,
  choose: (choice: Choice) => void,
): Child[] {
  const { table } = app.answers;
  const order = table.choices(p).filter((choice) => !isOnBoard(choice));
  const isListed = app.showsAll || (!isKeeping(advice) && (ONLY_RACES || !(table instanceof CardTable)));
  const choices = isListed
    ? list(order.map((choice) => choiceItem(choice, () => choose(choice))))
    : allChoices(app, order.length);
  return [
    h('div', { class: 'game' }, tableItems(app, p, advice, true, choose)),
    order.length ? h('div', { class: 'advice' }, choices) : null,
  ];
}

export function list(items: HTMLElement[]): HTMLElement {
  return h('ol', { class: 'choices', 'aria-label': say('choices') }, items);
}

export function choiceItem(choice: Choice, act: () => void): HTMLElement {
  return h('li', {}, h('button', { type: 'button', onclick: act }, h('span', {}, choiceText(choice))));
}

/** Make a choice in practice, say what it cost, and play the turns of the page. */
export function chooseInPractice(app: App, advice: Advice, choice: Choice): void {
  app.play(() => {
    app.game.choose(choice, advice.choices.length);
    app.message = [verdict(app, advice, choice), pagePlays(app)].filter(Boolean).join(' ');
  });
}

export function verdict(app: App, advice: Advice, choice: Choice): string {
  const chosen = advice.choices.find((ranked) => isSameChoice(ranked, choice))!;
  if (chosen.tie) return say('right', choiceText(chosen));
  return say('thatCost', formatLoss(chosen.loss, app.data.objective), choiceText(advice.choices[0]));
}

/** State the best choice and what the others cost, in one or two sentences. */
export function sentence(app: App, { choices, note, mixed }: Advice): string {
  const { objective } = app.adviser.data;
  const [best, ...otherChoices] = choices;
  const tiedChoices = otherChoices.filter((choice) => choice.tie);
  const nextBest = otherChoices.find((choice) => !choice.tie);
  let text = say('scored', choiceText(best), formatValue(best.value, objective));
  if (best.bust) text += say('busting', mishapText(app.data, 1), formatPercent(best.bust));
  if (tiedChoices.length)
    text += say('justAsGood', tiedChoices.map((choice) => choiceText(choice)).join('; '));
  if (nextBest) text += say('nextBest', choiceText(nextBest), formatLoss(nextBest.loss, objective));
  return [`${text}.`, note, saysMixed(choices, mixed) ? mixedTurns(mixed, choices.length) : '']
    .filter(Boolean)
    .join(' ');
}

export function mixedTurns([first, second]: Advice['mixed'], choices: number): string {
  const [firstShare, secondShare] = [formatPercent(first.share), formatPercent(second.share)];
  return choices === 1
    ? say('mixedHere', firstShare, secondShare)
    : say('mixed', firstShare, choiceText(first.choice), secondShare, choiceText(second.choice));
}
