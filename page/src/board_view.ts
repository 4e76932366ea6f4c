/** The board of Booby Trap: the remaining pieces by size; a tap touches one. */
import type { Advice, Ranked } from './answers';
import type { App } from './app';
import type { Act, Size } from './choices';
import { type Child, h, numberList, svg } from './dom';
import type { Position } from './play';
import { unitText } from './unit_text';
import { formatLoss, translate, say, formatValue } from './words';

export const SIZES: Size[] = ['large', 'medium', 'small'];
const RADIUS: Record<Size, number> = { large: 9, medium: 7, small: 5 };
const CELL = 20;
const COLUMNS = 10;

/** Return whether a choice is made on the board; lists of choices leave it out. */
export function isOnBoard({ kind, data }: Pick<Act, 'kind' | 'data'>): boolean {
  return kind === 'touch' && data.type === 'PieceChoice';
}

/** Return the board, with the value and cost of touching each size; null for games without one. */
export function board(
  app: App,
  p: Position,
  advice: Advice | null,
  isSecret: boolean,
  choose: (choice: Ranked) => void,
): Child {
  const facts = app.data.match as unknown as { board?: number[]; example_odds?: boolean };
  const leftField = app.answers.table.problem.formatFields(p.b).find(([name]) => name === 'left');
  if (!facts.board || !leftField) return null;
  const counts = leftField[1].split(',').map(Number);
  const touched = app.answers.table.formatFields(p).find(([name]) => name === 'touched')?.[1];
  const items = SIZES.map((size, n) => {
    const choice = advice?.choices.find(
      ({ kind, data }) => kind === 'touch' && data.type === 'PieceChoice' && data.size === size,
    );
    const count = say('scored', translate(size), counts[n]);
    const label = size === touched ? say('touched', count) : count;
    const content = [pieces(size, counts[n], facts.board![n]), h('b', {}, label)];
    if (!choice) return h('li', { class: size === touched ? 'size touched' : 'size' }, content);
    const costText = choice.tie ? say('best') : say('costs', formatLoss(choice.loss, app.data.objective));
    const numbers = [formatValue(choice.value, app.data.objective), costText];
    const numberItems = isSecret ? null : numberList(numbers);
    const kind = choice.tie && !isSecret ? 'best' : '';
    const touch = { type: 'button', class: kind, 'data-key': `touch ${size}`, onclick: () => choose(choice) };
    return h('li', { class: 'size' }, h('button', touch, content, numberItems));
  });
  const canTouch = advice?.choices.some(isOnBoard);
  const hasExamples = facts.example_odds && !isSecret;
  const unit = isSecret ? '' : unitText(app.data.objective);
  // The first decision of a game explains the unit of costs at once, later ones below the board.
  const isFirst = !app.game.enteredSteps.some(({ kind }) => kind === 'choice');
  const odds = hasExamples ? say('oddsExample') : '';
  const hint = (...sentences: string[]) =>
    sentences.some(Boolean) ? h('p', { class: 'hint' }, sentences.filter(Boolean).join(' ')) : null;
  return [
    canTouch ? hint(say('tapSize'), isFirst ? unit : '') : null,
    h('ol', { class: 'board', 'aria-label': say('board') }, items),
    hint(odds, canTouch && !isFirst ? unit : ''),
  ];
}

function pieces(size: Size, count: number, fullCount: number): Element {
  const rows = Math.ceil(fullCount / COLUMNS);
  const circle = (n: number) => ({
    cx: CELL * ((n % COLUMNS) + 0.5),
    cy: CELL * (Math.floor(n / COLUMNS) + 0.5),
    r: RADIUS[size],
  });
  return svg(
    'svg',
    { viewBox: `0 0 ${CELL * COLUMNS} ${CELL * rows}`, class: 'pieces', 'aria-hidden': 'true' },
    Array.from({ length: fullCount }, (_, n) =>
      svg('circle', { ...circle(n), class: n < count ? 'piece' : 'hole' }),
    ),
  );
}
