/** The view of the current game: entering rolls, choices and the results of other players. */
import { decisionView } from './advice_view';
import { type App } from './app';
import { turnsChart } from './chart';
import { button, type Child, flatten, h, wideScreen } from './dom';
import { grouped, isProbability, largest } from './numbers';
import { board } from './board_view';
import { CardTable } from './card_table';
import { dieFace, faceLabel, fixedDie } from './die';
import { scorecard } from './scorecard_view';
import { stepBack, winnersOf } from './party';
import { roundsTable } from './rounds_view';
import { randomRoll } from './random';
import { Refused } from './problem';
import type { Game, Step } from './game';
import { type Position, rollIndex } from './play';
import { rollInPractice } from './practice_view';
import { backToEarlier } from './stored_games';
import { tilesStanding } from './tiles_view';
import { asSentence, choiceText, howText, local, translate, say, sayIn, stepText } from './words';

export const LISTED = 1000; // the most events that are listed; of a longer game, the newest

export function play(app: App): Child[] {
  const { game } = app;
  const p = game.position;
  const parts: Child[] = [];
  if (p.at === 'over') {
    parts.push(gameOver(app));
  } else if (app.seat().player === 'table' && game.untouchedTurnStart >= 0 && !app.isRollByRoll) {
    parts.push(turnInput(app, p));
  } else if (p.at === 'throw') {
    parts.push(rollView(app, p));
  } else {
    parts.push(app.head(say('chooseNow', app.seat().name), turnDetail(app, p)));
    parts.push(keptBefore(app), decisionView(app, p));
  }
  const tables = [roundsTable(app), backToEarlier(app)];
  const [head, ...below] = flatten(parts);
  const others = [...flatten([tieNote(app), app.beat?.view(app)]), ...below];
  if (!wideScreen().matches) return [head, others, tables, history(app), howToPlay(app)];
  const isAdvice = (node: Node | string) => node instanceof Element && node.classList.contains('advice');
  const advice = others.filter(isAdvice);
  return [
    head,
    h(
      'div',
      {},
      others.filter((node) => !isAdvice(node)),
      tables,
    ),
    h('div', { class: 'beside' }, advice, turnsChart(app), history(app), howToPlay(app)),
  ];
}

/** Return who plays off the last tie for the best total; null if there was none, or the game is over. */
function tieNote(app: App): HTMLElement | null {
  const { problem } = app.answers.table;
  const { game } = app;
  const { steps, seats, isOver } = game;
  if (isOver || !problem.findTie) return null;
  for (let n = steps.length - 1; n >= 0; n--) {
    const tie = problem.findTie(steps[n].position.b, steps[n].after.b);
    if (!tie) continue;
    const names = tie.seats.map((seat) => seats[seat].name).join(', ');
    const counted = problem.scores(game.position.b).length ? ` ${say('tiedScores')}` : '';
    return h('p', { class: 'hint tied' }, say('tied', local(grouped(tie.total)), names), counted);
  }
  return null;
}

/** Return content that opens and closes, and stays so when the view is rendered again. */
function foldable(
  app: App,
  key: 'how' | 'history',
  isUsuallyOpen: boolean,
  title: string,
  content: Child,
  closed: () => void = () => undefined,
): HTMLElement {
  const remember = () => {
    if (!details.open) closed();
    if (details.open === isUsuallyOpen) app.folded.delete(key);
    else app.folded.set(key, details.open);
  };
  const details: HTMLDetailsElement = h(
    'details',
    { class: key, open: app.folded.get(key) ?? isUsuallyOpen, ontoggle: remember },
    h('summary', {}, title),
    content,
  );
  return details;
}

/** Return how the game is played, with the sentences of `keepwise rules`; null under rules that a user changed. */
export function ruleSentences(app: App): HTMLElement | null {
  const { data, home } = app;
  // The sentences hold only for the original rules of the page; with odds of one's own, those on odds are left out.
  if (!data.how.length || (data !== home.data && !app.ownOdds)) return null;
  const lines = data.how.map((line) => {
    const text = howText(line);
    return text === null ? h('li', { lang: 'en' }, line[0]) : h('li', {}, text);
  });
  return h('ul', {}, lines);
}

/** Explain how the game is played. */
function howToPlay(app: App): HTMLElement | null {
  const sentences = ruleSentences(app);
  if (!sentences) return null;
  // It is open until a reader closes it, and stays closed on the next visit of a phone.
  const closed = () => {
    app.knowsRules = true;
    app.store();
  };
  return foldable(app, 'how', wideScreen().matches || !app.knowsRules, say('howTo'), sentences, closed);
}

/** Return the turn points, or the number of the roll in the turn; null in games that count neither. */
export function turnDetail(app: App, p: Position): Child {
  const words = p.points ? say('turnHolds', local(grouped(p.points))) : rollNumber(app, p);
  return words && h('span', { class: 'turn-points' }, words);
}

/** Return the number of the current roll in the turn; "" in games without a fixed number of rolls. */
function rollNumber(app: App, p: Position): string {
  const { table } = app.answers;
  const rolls =
    !ONLY_RACES && table instanceof CardTable
      ? table.facts.throws
      : largest([1, ...app.data.graph.forms.map(rollIndex)]);
  return rolls > 1 ? say('rollOf', rollIndex(table.formatFields(p)), rolls) : '';
}

/** Return the dice that were kept earlier in this turn and are not on the table; null if there are none. */
function keptBefore(app: App): Child {
  const { steps } = app.game;
  let dice: string[] = [];
  for (let n = steps.length - 1; n >= 0 && !steps[n].after.isTurnStart; n--) {
    const { choice, position } = steps[n];
    if (choice?.data.type !== 'TurnRoll') continue;
    const { length } = app.answers.table.rolledDice(position);
    if (choice.data.dice !== length - choice.keep.length) break; // all dice are rolled again
    dice = [...choice.keep, ...dice];
  }
  if (!dice.length) return null;
  return h(
    'p',
    { class: 'before' },
    say('keptBefore'),
    dice.map((face) => fixedDie(faceLabel(app.data, face))),
  );
}

/** Return the text of an event, with the displayed names of the faces. */
export function eventText(app: App, step: Step): string {
  const words = stepText(step);
  return step.kind === 'throw' ? words.replace(/\S+/g, (face) => faceLabel(app.data, face)) : words;
}

export function rollView(app: App, p: Position): Child[] {
  const table = app.answers.table;
  const { act } = table.nextRoll(p);
  const head = app.head(
    say(table.wordedRolls(p) ? 'stepNow' : 'throwNow', app.seat().name, choiceText(act)),
    turnDetail(app, p),
  );
  const parts: Child[] = [head, keptBefore(app), tilesStanding(app, p)];
  if (app.seat().player === 'best' || app.isPractice) {
    parts.push(
      table.wordedRolls(p) ? board(app, p, null, false, () => undefined) : diceTray(app, p),
      h(
        'p',
        {},
        button(sayIn(app.data, 'rollForMe'), () => rollInPractice(app), {
          class: 'deed',
          'data-key': 'roll',
        }),
      ),
      lockedScorecard(app, p),
    );
  } else {
    parts.push(diceEntry(app, p));
  }
  return parts;
}

/** Show the controls to enter a roll: faces to tap, or buttons with the possible results. */
export function diceEntry(app: App, p: Position): Child[] {
  const table = app.answers.table;
  const options = table.wordedRolls(p);
  if (options)
    return [
      board(app, p, null, false, () => undefined),
      h(
        'div',
        { class: 'chips few' },
        options.map(({ words, after }) =>
          button(local(translate(words)), () => app.play(() => app.game.enterRoll(after)), {
            'data-key': `fell ${words}`,
          }),
        ),
      ),
    ];
  const missing = table.nextRoll(p).dice - app.dice.length;
  const faces = table.facesOf(p).map((face) =>
    dieButton(faceLabel(app.data, face), () => addDie(app, p, face), {
      'aria-label': say('addFace', faceLabel(app.data, face)),
      'data-key': `face ${face}`,
    }),
  );
  const isTableSeat = app.seat().player === 'table' && app.game.untouchedTurnStart >= 0;
  const dead = table.facesOf(p).find((face) => faceLabel(app.data, face) !== face);
  const isFirstCrewRoll = app.data.family === 'rounds' && p.isTurnStart;
  return [
    diceTray(app, p),
    isFirstCrewRoll ? h('p', { class: 'hint' }, say('crewRule')) : null,
    h('p', { class: 'hint', 'aria-live': 'polite' }, say('missing', missing)),
    dead && app.data.family === 'scarney'
      ? h('p', { class: 'hint' }, say('deadSide', faceLabel(app.data, dead)))
      : null,
    h('div', { class: 'faces', role: 'group', 'aria-label': say('faces') }, faces),
    app.dice.length ? null : totalButtons(app, p),
    h(
      'div',
      { class: 'row' },
      button(say('rollHere'), () => rollHere(app), { 'data-key': 'roll here' }),
      isTableSeat ? button(say('wholeTurn'), () => app.act(() => void (app.isRollByRoll = false))) : null,
    ),
    lockedScorecard(app, p),
  ];
}

/** Return a scorecard that cannot be tapped; null for games without one. */
function lockedScorecard(app: App, p: Position): Child {
  const { table } = app.answers;
  return !ONLY_RACES && table instanceof CardTable
    ? scorecard(app, table, p, null, false, () => undefined)
    : null;
}

/** Show the kept dice, the dice entered so far, and empty places for the missing ones. */
function diceTray(app: App, p: Position): HTMLElement {
  const { dice, tableDice: lies } = app.answers.table.nextRoll(p);
  const missing = dice - app.dice.length;
  const items = [
    ...lies.map((face) => fixedDie(faceLabel(app.data, face), 'kept')),
    ...app.dice.map((face, n) =>
      dieButton(faceLabel(app.data, face), () => app.act(() => void app.dice.splice(n, 1), false), {
        'aria-label': say('removeDie', faceLabel(app.data, face)),
        'data-key': `die ${n}`,
      }),
    ),
    ...Array.from({ length: missing }, () => h('span', { class: 'empty', 'aria-hidden': 'true' })),
  ];
  return h('div', { class: 'tray', role: 'group', 'aria-label': say('dice') }, items);
}

/** Return buttons for the total of the dice, in games in which only the total counts. */
function totalButtons(app: App, p: Position): Child {
  const { table } = app.answers;
  const { dice } = table.nextRoll(p);
  const sums = Array.from({ length: table.facesOf(p).length * dice }, (_, n) => n + 1);
  const rolls = sums.map((total) => [total, table.problem.diceOfTotal?.(total, dice)] as const);
  const buttons = rolls.flatMap(([total, roll]) =>
    roll
      ? [
          button(String(total), () => app.play(() => app.game.enterRoll(table.afterRoll(p, roll)!)), {
            'data-key': `total ${total}`,
          }),
        ]
      : [],
  );
  if (!buttons.length) return null;
  return [
    h('p', { class: 'hint' }, say('orTotal')),
    h('div', { class: 'totals', role: 'group', 'aria-label': say('orTotal') }, buttons),
  ];
}

function dieButton(face: string, act: () => void, attributes: Record<string, string>): HTMLElement {
  return h('button', { type: 'button', class: 'die', onclick: act, ...attributes }, dieFace(face));
}

/** Let the page roll the dice of an advised player. */
function rollHere(app: App): void {
  app.dice = [];
  app.play(() => app.game.enterRoll(randomRoll(app.answers.table, app.game.position)));
  app.isFresh = true;
  app.render();
}

export function addDie(app: App, p: Position, face: string): void {
  app.act(() => {
    const { dice, tableDice: lies } = app.answers.table.nextRoll(p);
    app.dice.push(face);
    if (app.dice.length < dice) return;
    const roll = app.dice;
    app.dice = [];
    const after = app.answers.table.afterRoll(p, [...lies, ...roll]) ?? app.answers.table.afterRoll(p, roll);
    if (!after) throw new Refused('noSuchDice', roll.join(' '));
    app.untap();
    app.game.act(() => app.game.enterRoll(after));
    app.showsAll = false;
  });
}

export function turnInput(app: App, p: Position): Child[] {
  const problem = app.answers.table.problem;
  const enterTurn = (words: string) => app.play(() => app.game.enter(`turn ${words}`));
  const chips = problem
    .usualTurns(p.b)
    .map(([words, label]) =>
      button(local(translate(label)), () => enterTurn(words), { 'data-key': `turn ${words}` }),
    );
  const field = h('input', {
    type: 'text',
    inputmode: /^\d/.test(problem.usualTurns(p.b)[1]?.[0] ?? '1') ? 'numeric' : 'text',
    'aria-label': say('other'),
    value: app.typedTurn,
    'data-key': 'typed',
    oninput: () => void (app.typedTurn = field.value),
    onkeydown: (event) => (event as KeyboardEvent).key === 'Enter' && enterTyped(),
  });
  const enterTyped = () => (field.value.trim() ? enterTurn(field.value) : field.focus());
  return [
    app.head(say('othersTurn', app.seat().name)),
    h('div', { class: app.data.family === 'touch' ? 'chips few' : 'chips' }, chips),
    problem.listsAllTurns
      ? null
      : [
          h('p', {}, say('other')),
          h('div', { class: 'row' }, field, button(say('enter'), enterTyped, { class: 'deed' })),
        ],
    h(
      'p',
      {},
      button(sayIn(app.data, 'throwByThrow'), () => app.act(() => void (app.isRollByRoll = true))),
    ),
  ];
}

export function gameOver(app: App): Child[] {
  const { table } = app.answers;
  const results = table.problem.result(app.game.position.b)!;
  const { seats } = app.game;
  const top = largest(results);
  const winners = seats.filter((_, n) => results[n] === top).map((seat) => seat.name);
  const winnerText = seats.length > 1 ? say(winners.length > 1 ? 'shared' : 'wins', winners.join(', ')) : '';
  const hasTotals = !app.party.length && !isProbability(app.data.objective) && app.data.objective !== 'turns';
  const totalTexts = !hasTotals
    ? []
    : seats.map((seat, n) => say('scored', seat.name, app.data.fewer ? 0 - results[n] : results[n]));
  return [
    app.head([say('over'), winnerText, winnersOf(app), ...totalTexts].filter(Boolean).join(' ')),
    h(
      'div',
      { class: 'row' },
      button(say('review'), () => app.act(() => app.go('review')), { class: 'deed' }),
      button(say('newGame'), () => app.act(() => app.begin(app.newGame(app.game.seats)))),
    ),
    !ONLY_RACES && table instanceof CardTable
      ? (app.party.length ? app.party : [app.game]).map((game) =>
          scorecard(app, table, game.position, null, false, () => undefined, game),
        )
      : null,
  ];
}

/** Describe how the last roll ended a turn without a decision; "" if a player decided or no turn ended. */
export function endOfTurn(app: App, before: { game: Game; steps: Game['steps'] }): string {
  const { game } = app;
  if (game !== before.game || game.steps.length <= before.steps.length) return '';
  const lastStep = game.steps[game.steps.length - 1];
  if (!lastStep.choice || lastStep.text || !(lastStep.after.isTurnStart || lastStep.after.at === 'over'))
    return '';
  return asSentence(say('scored', game.seats[lastStep.seat].name, eventText(app, lastStep)));
}

/** Return the buttons for undo and redo, which are always visible at the top. */
export function undoRedo(app: App): Child[] {
  const { game } = app;
  const step = (key: 'undo' | 'redo', mark: string, isEnabled: boolean, act: () => void) =>
    button(mark, () => app.act(act), {
      disabled: !isEnabled,
      'aria-label': say(key),
      title: say(key),
      'data-key': key,
    });
  const canUndo =
    game.enteredSteps.length > 0 || app.party.some((partyGame) => partyGame.enteredSteps.length > 0);
  return [
    step('undo', '↶', canUndo, () => undoStep(app)),
    step('redo', '↷', game.undone.length > 0, () => game.redo()),
  ];
}

export function undoStep(app: App): void {
  app.dice = [];
  app.untap();
  stepBack(app);
  app.game.undo();
}

export function history(app: App): HTMLElement | null {
  const steps = app.game.enteredSteps;
  if (!steps.length) return null;
  const events = newest(steps, (step) =>
    h('li', {}, say('whatFell', app.game.seats[step.seat].name, eventText(app, step))),
  );
  return foldable(app, 'history', false, say('history'), events);
}

/** List the newest events, numbered as in the whole game. */
export function newest<T>(events: T[], item: (event: T) => HTMLElement): Child[] {
  const first = Math.max(0, events.length - LISTED);
  return [
    first ? h('p', {}, say('eventsShown', local(grouped(LISTED)), local(grouped(events.length)))) : null,
    h('ol', { class: 'events', start: first + 1 }, events.slice(first).map(item)),
  ];
}
