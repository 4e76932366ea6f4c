/** The dice on the table: those to keep are tapped, and what can be done with them is shown at once. */
import type { Advice, Ranked } from './answers';
import type { App } from './app';
import type { Act } from './choices';
import { dieFace, faceLabel } from './die';
import { type Child, button, h } from './dom';
import { grouped } from './numbers';
import { tileBoard } from './tiles_view';
import { choiceText, cost, local, percent, said, say, worth } from './words';

/** Whether dice are chosen here, not boxes of a card or something else. */
export function isKeeping({ choices }: Advice): boolean {
  return choices.some((one) => one.kind !== 'enter' && one.keep.length > 0);
}

function sorted(dice: string[]): string {
  return [...dice].sort().join();
}

/** The places of dice that show so. */
function placesOf(faces: string[], wanted: string[]): Set<number> {
  const places = new Set<number>();
  for (const face of wanted) places.add(faces.findIndex((one, n) => one === face && !places.has(n)));
  return places;
}

/**
 * Show the dice to be tapped, and the choices that keep those that are tapped; or tiles, and the choices that shut them.
 *
 * Args:
 *   faces: the dice as they lie, or the tiles that stand.
 *   advice: all choices, the best first.
 *   isSecret: show no values, in practice.
 *   choose: is called with the choice that is made.
 */
export function tray(
  app: App,
  faces: string[],
  advice: Advice,
  isSecret: boolean,
  choose: (choice: Ranked) => void,
): Child[] {
  const [best] = advice.choices;
  const isCard = best.data.type === 'CardDice'; // its list of choices stands below the scorecard
  const isTiles = best.data.type === 'TileChoice';
  const label = (face: string) => (isTiles ? face : faceLabel(app.data, face));
  const advised = isSecret ? new Set<number>() : placesOf(faces, best.keep);
  const keeps = advice.choices.filter((one) => one.kind !== 'enter').map((one) => sorted(one.keep));
  const isForced = keeps.every((one) => one === keeps[0]); // the same dice whatever is done with them
  const tappedPlaces = [...app.kept].filter((place) => place < faces.length);
  const kept = isForced && !tappedPlaces.length ? placesOf(faces, best.keep) : new Set(tappedPlaces);
  const toggle = (place: number) =>
    app.act(() => {
      if (!kept.delete(place)) kept.add(place);
      app.kept = kept;
      app.isFresh = false;
    }, false);
  const dice = faces.map((face, n) =>
    h(
      'button',
      {
        type: 'button',
        class: [
          isTiles ? 'tile' : 'die',
          kept.has(n) ? 'kept' : '',
          advised.has(n) ? 'advised' : '',
          app.isFresh && !isTiles ? 'thrown' : '',
        ]
          .filter(Boolean)
          .join(' '),
        'aria-pressed': kept.has(n) ? 'true' : 'false',
        'aria-label': advised.has(n) ? `${label(face)}, ${say('best')}` : label(face),
        'data-key': `keep ${n}`,
        onclick: () => toggle(n),
      },
      isTiles ? h('b', { 'aria-hidden': 'true' }, face) : dieFace(label(face)),
    ),
  );
  const tapped = faces.filter((_, n) => kept.has(n));
  const found = advice.choices.filter((one) => one.kind !== 'enter' && sorted(one.keep) === sorted(tapped));
  // In practice, the order of the buttons must not say which choice is best.
  const [first, later] = isSecret
    ? [[...found].sort(rollsFirst), []]
    : [found.filter((one) => one.tie), found.filter((one) => !one.tie)];
  const asDeed = (one: Ranked) => deed(app, one, isSecret, () => choose(one));
  const isBestTapped = sorted(best.keep) === sorted(tapped);
  return [
    isTiles
      ? tileBoard(app, faces, dice)
      : h('div', { class: 'tray', role: 'group', 'aria-label': say('dice') }, dice),
    h('p', { class: 'hint' }, isTiles ? tilesHint(tapped, advice) : hint(tapped, found)),
    h(
      'div',
      { class: 'deeds' },
      first.map(asDeed),
      isSecret || best.kind === 'enter' || isBestTapped
        ? null
        : button(
            isCard || isTiles || !best.keep.length
              ? capital(`${say('best')}: ${choiceText(best)}`)
              : say('tapBest'),
            () => app.act(() => void (app.kept = placesOf(faces, best.keep)), false),
            {
              'data-key': 'tap best',
              class: isCard ? 'deed advised' : 'advised',
            },
          ),
      later.map(asDeed),
    ),
  ];
}

function hint(tapped: string[], found: Ranked[]): string {
  if (!tapped.length) return say('tapDice');
  if (!found.length) return say('notKept', tapped.join(' '));
  const points = found[0].kind === 'keep' || found[0].data.type === 'CardDice' ? 0 : found[0].points;
  return points
    ? say('tappedHolds', tapped.join(' '), local(grouped(points)))
    : say('tapped', tapped.join(' '));
}

/** What the tapped tiles add up to, and what they have to. */
function tilesHint(tapped: string[], { choices }: Advice): string {
  const sum = (tiles: string[]) => tiles.reduce((all, tile) => all + Number(tile), 0);
  const wanted = sum(choices[0].keep);
  return tapped.length ? say('tilesSum', tapped.join(' + '), sum(tapped), wanted) : say('tapTiles', wanted);
}

/** Rolling on stands before stopping, whichever is better. */
function rollsFirst(one: Ranked, other: Ranked): number {
  return Number(one.then !== 'roll') - Number(other.then !== 'roll');
}

/** What a choice does once its dice are tapped: roll 3 dice, bank 450. */
function withoutDice(choice: Ranked): Act {
  const { kind, data } = choice;
  if (data.type === 'CardDice' && kind === 'roll')
    return { kind, data: { type: 'CardThrow', dice: data.dice, is_all: false }, keep: [] };
  if (data.type === 'TurnStop' || data.type === 'TurnRoll') return { kind, data, keep: [] };
  return choice;
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function deed(app: App, one: Ranked, isSecret: boolean, choose: () => void): HTMLElement {
  const { objective, mishap } = app.data;
  const words = choiceText(withoutDice(one));
  const rest = one.tie ? say('best') : say('costs', cost(one.loss, objective));
  const busts = one.bust ? `${said(mishap[0])} ${percent(one.bust)}` : '';
  return h(
    'button',
    {
      type: 'button',
      class: one.tie && !isSecret ? 'deed best' : 'deed',
      'data-key': `deed ${one.kind}`,
      onclick: choose,
    },
    h('b', {}, capital(words)),
    isSecret
      ? null
      : h(
          'span',
          { class: 'numbers' },
          [worth(one.value, objective), rest, busts]
            .filter(Boolean)
            .flatMap((part, n) => [n ? ' · ' : '', h('span', {}, part)]),
        ),
  );
}
