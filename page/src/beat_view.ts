/** Advice for ending above the other person: of two who each fill a scorecard, each plays against the other's. */
import type { Answers } from './answers';
import type { App } from './app';
import type { Scorecard } from './card_facts';
import { button, type Child, h } from './dom';
import type { Game } from './game';
import { Refused } from './problem';
import { say } from './words';

const SECONDS_AT_ONCE = 5; // a turn that takes longer is solved only if the user asks for it
const MAX_SECONDS = 60;
const TURNS_KEPT = 4; // solved turns that are remembered, so that undo and redo need no new solve

/** A turn: both cards as they are filled at its start. */
interface Turn {
  own: Scorecard;
  theirs: Scorecard;
  key: string;
}

/** The choice of what advice is for, and the turns that were solved for it. */
export class BeatAdvice {
  isChosen = false;
  private readonly solved = new Map<string, Answers>();
  private readonly seconds = new Map<string, number>();
  /** The turn that is estimated or solved now. */
  private running: { key: string; stopper: AbortController } | null = null;
  private readonly bar = h('progress', { max: 1 });

  /** The game of the other person; null if the choice is not offered. */
  private opponent({ engine, party, game, quiz, isPractice }: App): Game | null {
    if (!engine?.beat || party.length !== 2 || game.isOver || quiz || isPractice) return null;
    return party.find((other) => other !== game) ?? null;
  }

  private turn(app: App): Turn | null {
    const opponent = this.opponent(app);
    if (!opponent) return null;
    const cards = [app.game, opponent].map(({ position }) => position.b as Scorecard);
    const key = cards.map(({ used, score, upper, flag }) => [used, score, upper, flag].join()).join(' ');
    return { own: cards[0], theirs: cards[1], key };
  }

  /** Return the answers for this turn; null if advice is for the most points. */
  answers(app: App): Answers | null {
    const turn = this.isChosen ? this.turn(app) : null;
    return (turn && this.solved.get(turn.key)) ?? null;
  }

  /** Return the control, with what it means now; a turn that is solved quickly is solved at once. */
  view(app: App): Child {
    const opponent = this.opponent(app);
    const turn = this.turn(app);
    if (this.running && (!this.isChosen || this.running.key !== turn?.key)) this.stop();
    if (!opponent || !turn) return null;
    const { name } = opponent.seats[0];
    const select = h(
      'select',
      {
        'data-key': 'advice for',
        onchange: () => app.act(() => void (this.isChosen = select.value === 'beat'), false),
      },
      h('option', { value: 'points', selected: !this.isChosen }, say('mostPoints')),
      h('option', { value: 'beat', selected: this.isChosen }, say('endAbove', name)),
    );
    return h('div', { class: 'beat no-print' }, [
      h('label', { class: 'advice-for' }, h('span', {}, say('labelOf', say('adviceIs'))), select),
      this.isChosen ? this.state(app, turn, name) : null,
    ]);
  }

  private state(app: App, turn: Turn, name: string): Child {
    const { isTurnStart } = app.game.position;
    if (this.solved.has(turn.key))
      return isTurnStart ? h('p', { class: 'hint' }, say('beatMeans', name)) : null;
    const seconds = this.seconds.get(turn.key);
    if (seconds === undefined && !this.running) void this.work(app, turn, SECONDS_AT_ONCE);
    if (this.running)
      return [
        h('p', { class: 'hint' }, say('beatSolving')),
        h('div', { class: 'row solving' }, [
          this.bar,
          button(say('cancel'), () => app.act(() => this.stop(), false), { 'data-key': 'cancel' }),
        ]),
      ];
    if (seconds! > MAX_SECONDS) return h('p', { class: 'hint' }, say('beatTooLong'));
    return [
      h('p', { class: 'hint' }, say('beatSeconds', Math.ceil(seconds!))),
      button(say('beatSolve'), () => app.act(() => void this.work(app, turn, MAX_SECONDS), false), {
        'data-key': 'solve turn',
      }),
    ];
  }

  private stop(): void {
    this.running?.stopper.abort();
    this.running = null;
  }

  /** Estimate a turn, and solve it if it takes at most so many seconds. */
  private async work(app: App, turn: Turn, maxSeconds: number): Promise<void> {
    const stopper = new AbortController();
    const running = { key: turn.key, stopper };
    this.running = running;
    this.showProgress(0);
    const beat = app.engine!.beat!;
    try {
      await new Promise((done) => setTimeout(done)); // the browser draws what was tapped
      const seconds = this.seconds.get(turn.key) ?? beat.estimateSeconds(turn.own, turn.theirs);
      this.seconds.set(turn.key, seconds);
      if (seconds <= maxSeconds) {
        const progress = (done: number) => this.running === running && this.showProgress(done);
        this.remember(turn, await beat.solve(turn.own, turn.theirs, progress, stopper.signal));
      }
    } catch (error) {
      if (!(error instanceof Refused)) {
        this.seconds.set(turn.key, Infinity); // not tried again
        app.fail(error, app.screenState);
      }
    }
    if (this.running !== running) return;
    this.running = null;
    if (app.view === 'play' && !app.question) app.render();
  }

  private showProgress(done: number): void {
    this.bar.value = done;
    this.bar.setAttribute('aria-label', say('scored', say('beatSolve'), `${Math.round(100 * done)}%`));
  }

  private remember(turn: Turn, answers: Answers): void {
    this.solved.set(turn.key, answers);
    for (const key of [...this.solved.keys()].slice(0, -TURNS_KEPT)) this.solved.delete(key);
  }
}
