/** Practice: a game against the page, for which the page rolls the dice, and the quiz. */
import { list, SHOWN, withoutValues } from './advice_view';
import { type App } from './app';
import { button, type Child, h, numberList } from './dom';
import { grouped } from './numbers';
import type { Step } from './game';
import { Quiz } from './quiz';
import { random, randomRoll } from './random';
import { isSameChoice } from './choices';
import type { Ranked } from './answers';
import { eventText, turnDetail } from './play_view';
import { pointsOfChance } from './unit_text';
import { choiceText, formatLoss, fieldText, local, say, sayIn, formatValue, translate } from './words';

/** Fields that the page shows as dice, scores, boxes or boards, and not as text. */
const DRAWN_FIELDS = [
  'roll',
  'dice',
  'up',
  'left',
  'score',
  'opponents',
  'seat',
  'turn',
  'used',
  'upper',
  'live',
  'touched',
  'throw',
  'cast',
];

export function practice(app: App): Child[] {
  if (app.quiz) return quizQuestion(app, app.quiz);
  return [
    app.head(say('practice')),
    h('p', {}, sayIn(app.data, 'practiceText')),
    button(say(app.data.players > 1 ? 'against' : 'alone'), () => app.act(() => playAgainstPage(app)), {
      class: 'deed',
    }),
    hasDecisions(app) ? quizOffer(app) : null,
  ];
}

function hasDecisions({ data }: App): boolean {
  const { lists } = data.graph;
  return !lists.length || lists.some((choices) => choices.length > 1);
}

function quizOffer(app: App): Child[] {
  const begin = () => {
    app.untap();
    app.quiz = new Quiz(app.answers, random);
  };
  return [
    h('h2', {}, say('quiz')),
    h('p', {}, say('quizText')),
    button(say('beginQuiz'), () => app.act(begin)),
  ];
}

export function playAgainstPage(app: App): void {
  app.begin(app.newGame(app.usualSeats('best')));
  app.game.isRolledByPage = true;
  app.message = [app.message, pagePlays(app)].filter(Boolean).join(' ');
}

export function quizQuestion(app: App, quiz: Quiz): Child[] {
  const { table } = app.answers;
  const p = quiz.position;
  const objective = app.data.objective;
  const fieldTexts = table
    .formatFields(p)
    .filter(([name]) => !DRAWN_FIELDS.includes(name))
    .map(([name, value]) =>
      say(
        'scored',
        fieldText(name, app.data.players) || name.replace(/_/g, ' '),
        value === 'true'
          ? say('yes')
          : local(/^\d+$/.test(value) ? grouped(Number(value)) : translate(value)),
      ),
    );
  const parts: Child[] = [
    app.head(say('quizAsks'), turnDetail(app, p)),
    fieldTexts.length ? h('p', {}, fieldTexts.join(' · ')) : null,
  ];
  if (quiz.answeredChoice) {
    const { loss, best } = quiz.verdict!;
    app.status.textContent = loss
      ? say('wrong', formatLoss(loss, objective), choiceText(best))
      : say('right', choiceText(best));
    const isOwn = (choice: Ranked) => isSameChoice(choice, quiz.answeredChoice!);
    const next = () => {
      app.untap();
      app.showsAll = false;
      quiz.next();
    };
    parts.push(
      app.diceRow(table.rolledDice(p)),
      button(say('next'), () => app.act(next), { class: 'deed', 'data-key': 'next' }),
      list(
        quiz.advice.choices
          .filter((choice, n) => n < SHOWN || isOwn(choice))
          .map((choice) => answerRow(choice, isOwn(choice), objective)),
      ),
      pointsOfChance(objective),
    );
  } else {
    parts.push(withoutValues(app, p, quiz.advice, (choice) => app.act(() => quiz.answer(choice))));
  }
  parts.push(
    quiz.askedCount
      ? h('p', {}, say('tally', quiz.rightCount, quiz.askedCount, formatLoss(quiz.totalLoss, objective)))
      : null,
    h(
      'p',
      { class: 'apart' },
      button(say('stop'), () => app.act(() => void (app.quiz = null))),
    ),
  );
  return parts;
}

/** Return a choice of the quiz with its value, marked if it was the answer of the user. */
function answerRow(choice: Ranked, isOwn: boolean, objective: string): HTMLElement {
  const numbers = [
    formatValue(choice.value, objective),
    choice.tie ? say('best') : say('costs', formatLoss(choice.loss, objective)),
    isOwn ? say('own') : '',
  ];
  return h('li', {}, [
    h('div', { class: choice.tie ? 'answer best' : 'answer' }, [
      h('span', {}, choiceText(choice)),
      numberList(numbers),
    ]),
  ]);
}

/** Roll the dice of the player to move in practice; if that ends the turn, the page plays on. */
export function rollInPractice(app: App): void {
  app.play(() => {
    const { steps } = app.game;
    const before = steps.length;
    roll(app);
    const forced = steps.slice(before).find((step) => step.choice && !step.text && endsTurn(step));
    app.message = [forced ? turnText(app, forced) : '', pagePlays(app)].filter(Boolean).join(' ');
  });
}

function endsTurn({ after }: Step): boolean {
  return after.isTurnStart || after.at === 'over';
}

function turnText(app: App, step: Step): string {
  return `${say('scored', app.game.seats[step.seat].name, eventText(app, step))}.`;
}

export function roll(app: App): void {
  app.game.isRolledByPage = true;
  app.game.enterRoll(randomRoll(app.answers.table, app.game.position));
  app.isFresh = true;
}

/** Play the turns of the page in practice; return one sentence on the end of each. */
export function pagePlays(app: App): string {
  const before = app.game.steps.length;
  while (!app.game.isOver && app.seat().player === 'best') {
    const p = app.game.position;
    if (p.at === 'throw') roll(app);
    else app.game.choose(app.answers.advise(p).choices[0], app.answers.table.choices(p).length);
  }
  const lastSteps = app.game.steps
    .slice(before)
    .filter((step) => step.choice && endsTurn(step) && app.game.seats[step.seat].player === 'best');
  return lastSteps.map((step) => turnText(app, step)).join(' ');
}
