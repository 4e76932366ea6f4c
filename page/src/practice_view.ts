/** Practice: a game against the page, which rolls the dice, and the quiz. */
import { bare, list, SHOWN } from './advice_view';
import { type App } from './app';
import { button, type Child, h } from './dom';
import { grouped } from './numbers';
import { Quiz } from './quiz';
import { random, randomFall } from './random';
import { tilesStanding } from './tiles_view';
import { choiceText, cost, local, say, worth } from './words';

const DRAWN = ['roll', 'dice', 'up']; // what is shown as dice or as a board

export function practice(app: App): Child[] {
  if (app.quiz) return asking(app, app.quiz);
  return [
    app.head(say('practice')),
    h('p', {}, say('practiceText')),
    button(say('against'), () => app.act(() => against(app)), { class: 'deed' }),
    h('h2', {}, say('quiz')),
    h('p', {}, say('quizText')),
    button(say('quiz'), () => app.act(() => void (app.quiz = new Quiz(app.answers, random)))),
  ];
}

export function against(app: App): void {
  app.begin(app.fresh(app.names('best')));
  app.game.rolled = true;
  pagePlays(app);
}

export function asking(app: App, quiz: Quiz): Child[] {
  const { table } = app.answers;
  const p = quiz.position;
  const objective = app.data.objective;
  const told = table
    .tell(p)
    .filter(([name]) => !DRAWN.includes(name))
    .map(
      ([name, value]) =>
        `${name.replace(/_/g, ' ')} ${local(/^\d+$/.test(value) ? grouped(Number(value)) : value)}`,
    );
  const parts: Child[] = [
    app.head(say('quizText')),
    h('p', {}, told.join(' · ')),
    app.lying(table.shown(p)),
    tilesStanding(app, p),
  ];
  if (quiz.made) {
    const { loss, best } = quiz.verdict!;
    app.status.textContent = loss
      ? say('wrong', cost(loss, objective), choiceText(best))
      : say('right', choiceText(best));
    parts.push(
      list(
        quiz.advice.choices
          .slice(0, SHOWN)
          .map((one, n) =>
            h(
              'li',
              {},
              `${choiceText(one)}: ${worth(one.value, objective)}${n ? ` · ${say('costs', cost(one.loss, objective))}` : ''}`,
            ),
          ),
      ),
      button(say('next'), () => app.act(() => quiz.next()), { class: 'deed', 'data-key': 'next' }),
    );
  } else {
    parts.push(
      list(table.choices(p).map((choice) => bare(choice, () => app.act(() => quiz.answer(choice))))),
    );
  }
  parts.push(
    h('p', {}, say('tally', quiz.right, quiz.asked, cost(quiz.lost, objective))),
    button(say('stop'), () => app.act(() => void (app.quiz = null))),
  );
  return parts;
}

export function roll(app: App): void {
  app.game.rolled = true;
  app.game.fell(randomFall(app.answers.table, app.game.position));
  app.isFresh = true;
}

/** Where practice goes on by itself: the page plays its own turns. */
export function pagePlays(app: App): void {
  while (!app.game.over && app.seat().player === 'best') {
    const p = app.game.position;
    if (p.at === 'throw') roll(app);
    else app.game.choose(app.answers.advise(p).choices[0], app.answers.table.choices(p).length);
  }
}
