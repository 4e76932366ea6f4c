/** The dice on the table: the user taps dice to keep, and sees the choices that keep them. */
import type { Advice, Ranked } from './answers';
import type { App } from './app';
import type { Act } from './choices';
import { dieFace, faceLabel, fixedDie } from './die';
import { type Child, button, h, numberList } from './dom';
import { grouped } from './numbers';
import { tileBoard } from './tiles_view';
import { unitText } from './unit_text';
import { capital, choiceText, formatLoss, local, formatPercent, mishapText, say, formatValue } from './words';

/** Whether some choice keeps dice, other than by entering them in a box. */
export function isKeeping({ choices }: Advice): boolean {
  return choices.some((choice) => choice.kind !== 'enter' && choice.keep.length > 0);
}

const TRIO = 3; // ship, captain and mate

function diceKey(dice: string[]): string {
  return [...dice].sort().join();
}

/** The places of dice with the wanted faces, each place at most once. */
function placesOf(faces: string[], wanted: string[]): Set<number> {
  const places = new Set<number>();
  for (const face of wanted) places.add(faces.findIndex((other, n) => other === face && !places.has(n)));
  return places;
}

/**
 * Show the dice to be tapped, and the choices that keep those that are tapped; or tiles, and the choices that shut them.
 *
 * Args:
 *   faces: the dice on the table, or the tiles that stand.
 *   advice: all choices, the best first.
 *   isSecret: show no values, in practice.
 *   choose: is called with the choice that the user makes.
 */
export function tray(
  app: App,
  faces: string[],
  advice: Advice,
  isSecret: boolean,
  choose: (choice: Ranked) => void,
): Child[] {
  const [best] = advice.choices;
  const isCard = best.data.type === 'CardDice'; // its list of choices is below the scorecard
  const isTiles = best.data.type === 'TileChoice';
  const label = (face: string) => (isTiles ? face : faceLabel(app.data, face));
  const advised = isSecret ? new Set<number>() : placesOf(faces, best.keep);
  const keeps = advice.choices
    .filter((choice) => choice.kind !== 'enter')
    .map((choice) => diceKey(choice.keep));
  const isForced = keeps.every((choice) => choice === keeps[0]); // all choices keep the same dice
  const tappedPlaces = [...app.keptDice].filter((place) => place < faces.length);
  // In Battleship, ship, captain and mate stay on the table whatever the player chooses.
  const fixed = best.data.type === 'CrewChoice' ? advice.choices[0].keep.slice(0, TRIO) : [];
  const fixedPlaces = placesOf(faces, fixed);
  const kept =
    isForced && !tappedPlaces.length
      ? placesOf(faces, best.keep)
      : new Set([...fixedPlaces, ...tappedPlaces]);
  const toggle = (place: number) =>
    app.act(() => {
      if (!kept.delete(place)) kept.add(place);
      app.keptDice = kept;
      app.isFresh = false;
    }, false);
  const dice = faces.map((face, n) =>
    fixedPlaces.has(n)
      ? fixedDie(label(face), 'kept')
      : h(
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
  const matches = advice.choices.filter(
    (choice) => choice.kind !== 'enter' && diceKey(choice.keep) === diceKey(tapped),
  );
  // In practice, the order of the buttons must not say which choice is best.
  const [first, others] = isSecret
    ? [[...matches].sort(rollsFirst), []]
    : [matches.filter((choice) => choice.tie), matches.filter((choice) => !choice.tie)];
  // The first cost of a game explains its unit.
  const isFirstDecision = !isSecret && !app.game.enteredSteps.some(({ kind }) => kind === 'choice');
  const asButton = (choice: Ranked) =>
    choiceButton(app, choice, isSecret, isFirstDecision && choice === others[0], () => choose(choice));
  const isBestTapped = diceKey(best.keep) === diceKey(tapped);
  return [
    isTiles
      ? tileBoard(app, faces, dice)
      : h('div', { class: 'tray', role: 'group', 'aria-label': say('dice') }, dice),
    h('p', { class: 'hint' }, isTiles ? tilesHint(tapped, advice) : hint(tapped, fixed, matches)),
    h(
      'div',
      { class: 'deeds' },
      first.map(asButton),
      isSecret || best.kind === 'enter' || isBestTapped
        ? null
        : button(
            isCard || isTiles || !best.keep.length
              ? capital(say('scored', say('best'), choiceText(best)))
              : say('tapBest'),
            () => app.act(() => void (app.keptDice = placesOf(faces, best.keep)), false),
            {
              'data-key': 'tap best',
              class: isCard ? 'deed advised' : 'advised',
            },
          ),
      others.map(asButton),
    ),
  ];
}

function hint(tapped: string[], fixed: string[], matches: Ranked[]): string {
  if (fixed.length && tapped.length === fixed.length) return say('tapCrew', fixed.join(' '));
  if (!tapped.length) return say('tapDice');
  if (!matches.length) return say('notKept', tapped.join(' '));
  const points = matches[0].kind === 'keep' || matches[0].data.type === 'CardDice' ? 0 : matches[0].points;
  return points
    ? say('tappedHolds', tapped.join(' '), local(grouped(points)))
    : say('tapped', tapped.join(' '));
}

/** Return the sum of the tapped tiles, and the sum that a choice needs. */
function tilesHint(tapped: string[], { choices }: Advice): string {
  const sum = (tiles: string[]) => tiles.reduce((all, tile) => all + Number(tile), 0);
  const wanted = sum(choices[0].keep);
  return tapped.length ? say('tilesSum', tapped.join(' + '), sum(tapped), wanted) : say('tapTiles', wanted);
}

/** Say how many points a bank needs now; "" if any points can be banked. */
function whyNoBank(app: App): string {
  const { problem } = app.answers.table;
  const { b } = app.quiz ? app.quiz.position : app.game.position;
  const needed = problem.neededToBank(b);
  const isFirst = !problem.scores(b)[problem.mover(b)];
  return needed > 1 ? say(isFirst ? 'firstNeeds' : 'bankNeeds', local(grouped(needed))) : '';
}

/** Order choices that roll before choices that stop. */
function rollsFirst(a: Ranked, b: Ranked): number {
  return Number(a.then !== 'roll') - Number(b.then !== 'roll');
}

/** Return a choice without its dice, for a button below the tapped dice: roll 3 dice, bank 450. */
function withoutDice(choice: Ranked): Act {
  const { kind, data } = choice;
  if (data.type === 'CardDice' && kind === 'roll')
    return { kind, data: { type: 'CardThrow', dice: data.dice, is_all: false }, keep: [] };
  if (data.type === 'TurnStop' || data.type === 'TurnRoll') return { kind, data, keep: [] };
  return choice;
}

function choiceButton(
  app: App,
  choice: Ranked,
  isSecret: boolean,
  explainsUnit: boolean,
  choose: () => void,
): HTMLElement {
  const { objective } = app.adviser.data;
  const label = choiceText(withoutDice(choice));
  const costText = choice.tie ? say('best') : say('costs', formatLoss(choice.loss, objective));
  const bustText = choice.bust ? `${mishapText(app.data, 0)} ${formatPercent(choice.bust)}` : '';
  return h(
    'button',
    {
      type: 'button',
      class: choice.tie && !isSecret ? 'deed best' : 'deed',
      'data-key': `deed ${choice.kind}`,
      onclick: choose,
    },
    h('b', {}, capital(label)),
    choice.kind === 'stop' ? h('small', {}, whyNoBank(app)) : null,
    isSecret ? null : numberList([formatValue(choice.value, objective), costText, bustText]),
    explainsUnit ? h('small', {}, unitText(objective)) : null,
  );
}
