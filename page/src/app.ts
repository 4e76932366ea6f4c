/** The application: the current game, and the views of the page. */
import {
  checkChoice,
  chosenHands,
  type HandChoice,
  isForAllHands,
  isSameHandChoice,
  pageChoice,
  refuseOtherRules,
  underRules,
} from './chosen_hands';
import type { Answers } from './answers';
import { BeatAdvice } from './beat_view';
import { type PageData } from './data';
import { faceLabel, fixedDie } from './die';
import { button, type Child, h, replace, wideScreen } from './dom';
import { type Engine, engine as engineOf } from './engine';
import { Game, type Seat } from './game';
import { checkValues, houseRules, pageValues, type Values, fitValues } from './house';
import { showChangedRules } from './house_view';
import { Keeper, type StoredGame } from './keep';
import { fromLink } from './links';
import { Refused } from './problem';
import { more } from './more_view';
import { checkOdds, isSameOdds, type OwnOdds, pageOdds, takesOdds, withOdds } from './own_odds';
import { passTurn } from './party';
import { type Position } from './play';
import { undoRedo, endOfTurn, play } from './play_view';
import { practice } from './practice_view';
import { Quiz } from './quiz';
import { reviewView } from './review_view';
import { showScores } from './scores_view';
import { setup } from './setup';
import { sheetView } from './sheet_view';
import { setAside, unreadableGame } from './stored_games';
import { asSentence, language, refusalText, say, setLanguage } from './words';

export type View = 'play' | 'setup' | 'review' | 'practice' | 'more';
const VIEWS: View[] = ['play', 'review', 'practice', 'setup', 'more'];

/** The state of the screen, which is restored if an action fails. */
interface ScreenState {
  view: View;
  game: Game;
  party: Game[];
  steps: Game['steps'];
  undone: string[];
  quiz: Quiz | null;
  question: (() => Child[]) | null;
  unreadable: StoredGame | null;
  earlier: StoredGame[];
  data: PageData;
  engine: Engine | null;
  keeper: Keeper;
}

export class App {
  view: View = 'play';
  game!: Game;
  dice: string[] = [];
  /** The games of several people who share this page, in their order; empty for a single game. */
  party: Game[] = [];
  /** The number of people added to a new game that is being prepared. */
  addedPeople = 0;
  /** The game that the review shows; null for the game of the player to move. */
  reviewedGame: Game | null = null;
  /** The indices of the dice tapped to be kept, and the first of two tapped boxes. */
  keptDice = new Set<number>();
  tappedBox = '';
  /** Whether the page has just rolled the dice on the table. */
  isFresh = false;
  typedTurn = '';
  showsAll = false;
  isRollByRoll = false;
  showsSheet = false;
  /** Parts of the view that a user opened or closed, other than they usually are. */
  folded = new Map<'how' | 'history', boolean>();
  /** Whether a reader has closed How to play, on this visit or before. */
  knowsRules = false;
  message = '';
  errorText = '';
  quiz: Quiz | null = null;
  keeper: Keeper;
  /** A question that the user must answer before any other action. */
  question: (() => Child[]) | null = null;
  /** A stored game that could not be opened; it is not overwritten. */
  unreadable: StoredGame | null = null;
  earlier: StoredGame[] = [];
  hasRoom = true;
  /** Advice against another person with a scorecard. */
  readonly beat = WITH_CARDS ? new BeatAdvice() : null;
  storedRules: Values | undefined;
  /** The odds that a user entered, if the page uses them. */
  ownOdds: OwnOdds | undefined;
  /** The odds that a user is entering. */
  oddsDraft: OwnOdds | null = null;
  /** The hands that the page was solved for, if they are not its own; and those that a user is choosing. */
  chosenHands: HandChoice | undefined;
  handDraft: HandChoice | null = null;
  /** By seat, the words by which dice are searched; and the seats whose catalogue is open. */
  dieSearch: string[] = [];
  openCatalogues = new Set<number>();
  /** Stops the solve that is going on. */
  private stopper: AbortController | null = null;
  readonly home: { data: PageData; engine: Engine | null; keeper: Keeper };
  solving = false;
  /** Whether the sentence of advice only repeats the list beside it; then only screen readers get it. */
  isRepeated = false;
  readonly bar = h('progress', { max: 1 });
  readonly solvingNow = h('div', { class: 'row solving', hidden: true });
  readonly title = h('h1');
  readonly steps = h('div', { class: 'steps no-print' });
  readonly changed = h('div', { class: 'changed', hidden: true });
  readonly scores = h('ul', { class: 'scores', 'aria-label': 'scores' });
  readonly status = h('p', { role: 'status', class: 'said' });
  readonly panel = h('section');
  readonly nav = h('nav');

  constructor(
    root: HTMLElement,
    public data: PageData,
    public engine: Engine | null,
  ) {
    this.keeper = new Keeper(data.name);
    this.home = { data, engine, keeper: this.keeper };
    const stored = this.keeper.read();
    setLanguage(this.keeper.siteLanguage ?? stored.language ?? (navigator.language || 'en').slice(0, 2));
    root.append(
      h('header', {}, this.title, this.steps),
      this.changed,
      this.scores,
      this.status,
      this.solvingNow,
      this.panel,
      this.nav,
    );
    if (!engine) {
      this.view = 'more';
      this.errorText = say('noWasm');
      this.render();
      return;
    }
    this.storedRules = stored.house;
    this.knowsRules = stored.knowsRules === true;
    if (this.beat) this.beat.isChosen = stored.beat ?? false;
    if (!this.keeper.isAvailable) this.message = say('noStorage');
    this.game = this.newGame();
    this.resume();
    this.render();
    window.addEventListener('hashchange', () => fromLink(this));
    wideScreen().addEventListener('change', () => this.render());
    if (stored.house && !this.unreadable) void this.house(stored.house);
    else if (stored.hands && data.chooser && !this.unreadable) void this.chooseHands(stored.hands);
    else if (stored.odds && !ONLY_RACES && takesOdds(data) && !this.unreadable)
      void this.useOdds(stored.odds, false);
    else fromLink(this);
  }

  get id(): string {
    return this.answers.table.id(this.game.position);
  }

  /** The answers that advice in the game is from; those of reviews, practice and quizzes are `answers`. */
  get adviser(): Answers {
    return this.beat?.answers(this) ?? this.answers;
  }

  get answers(): Engine['answers'] {
    return this.engine!.answers;
  }

  // --- games

  usualSeats(player: string): Seat[] {
    const { players } = this.data;
    const opponentName = (n: number) => (players === 2 ? say('opponent') : say('opponentN', n));
    return Array.from({ length: players }, (_, n) => ({
      name: n ? (player === 'best' && players === 2 ? say('page') : opponentName(n)) : say('you'),
      player: n ? player : 'person',
    }));
  }

  /** Whether no event, position or name has been entered yet, so that a new language can rename the seats. */
  get hasUsualNames(): boolean {
    if (!this.engine) return false;
    const { game, party } = this;
    const initial = this.newGame();
    const isStart =
      game.steps.length === initial.steps.length && this.answers.table.same(game.position, initial.position);
    return isStart && !party.length && game.seats.every(({ name }, n) => name === initial.seats[n].name);
  }

  newGame(seats = this.usualSeats('table')): Game {
    return new Game(this.answers.table, seats);
  }

  parseGame({ text, undone }: StoredGame): Game {
    const game = Game.parse(this.answers.table, text, this.data.game);
    game.undone = [...undone];
    return game;
  }

  /** The games of all people who share the page, and the game of the player to move. */
  parseParty(record: StoredGame): { party: Game[]; game: Game } {
    const others = (record.others ?? []).map((otherGame) => this.parseGame(otherGame));
    const game = this.parseGame(record);
    const party = others.length
      ? [...others.slice(0, record.place), game, ...others.slice(record.place)]
      : [];
    return { party, game };
  }

  /** The record to store: the game, and the games of the others who share the page. */
  get record(): StoredGame {
    const gameRecord = (game: Game) => ({ text: game.text(), undone: game.undone });
    const { party, game } = this;
    if (party.length < 2) return gameRecord(game);
    const others = party.filter((partyGame) => partyGame !== game).map(gameRecord);
    return { ...gameRecord(game), others, place: party.indexOf(game) };
  }

  /** Resume the stored game. If it cannot be read or shown, leave it stored and ask the user. */
  resume(): void {
    const { text, undone = [], earlier = [], others, place } = this.keeper.read();
    const newGame =
      this.game.seats.length === this.data.players ? this.newGame(this.game.seats) : this.newGame();
    this.earlier = earlier;
    this.unreadable = this.question = null;
    this.view = 'play';
    this.game = newGame;
    this.party = [];
    this.reviewedGame = null;
    if (text === undefined) return;
    try {
      Object.assign(this, this.parseParty({ text, undone, others, place }));
      this.render();
    } catch (error) {
      this.game = newGame;
      this.party = [];
      this.unreadable = { text, undone, others, place };
      const reason = error instanceof Refused ? refusalText(error) : String(error);
      this.question = () => unreadableGame(this, text, reason);
    }
  }

  // --- house rules

  /**
   * Solve the race under house rules and resume the stored game under them; return whether that worked.
   *
   * Args:
   *   values: the house rules.
   *   withHands: whether chosen hands stay; otherwise the page's own come back.
   */
  async house(values: Values, withHands = true): Promise<boolean> {
    const { data, engine } = this.home;
    if (!engine || !data.house) return false;
    const { house } = data;
    if (WITH_HANDS && withHands && this.chosenHands) {
      let choice = this.chosenHands;
      const shown = this.rules;
      const change = () => {
        const asked = Object.entries(values).filter(([key, value]) => value !== shown[key]);
        checkValues(house, Object.fromEntries(asked));
        choice = underRules(house, choice, shown, values);
      };
      return this.act(change, false) && this.chooseHands(choice);
    }
    if (!this.act(() => checkValues(house, values), false)) {
      this.storedRules = undefined;
      return false;
    }
    const rules = fitValues(house, values);
    const isChanged = Object.entries(pageValues(house)).some(([key, value]) => rules[key] !== value);
    return this.exchange(isChanged ? { rules } : {}, async (progress, signal) => {
      if (!isChanged) return engine;
      const input = await houseRules(data, engine.arrays, rules, progress, signal);
      return engineOf(input.data, input.arrays);
    });
  }

  /**
   * Solve the game with the hands that a player chose, and resume the stored game with them; return whether it worked.
   *
   * Args:
   *   choice: the hands, with the target and the rules for banks.
   *   isWhole: whether the choice replaces all house rules. Otherwise those that cannot hold with it are refused.
   */
  async chooseHands(choice: HandChoice, isWhole = false): Promise<boolean> {
    const { data, engine } = this.home;
    if (WITH_HANDS && engine && data.chooser) {
      let hands = choice;
      const check = () => {
        hands = checkChoice(data, choice);
        if (!isWhole && this.storedRules && data.house) refuseOtherRules(data.house, this.storedRules);
      };
      if (!this.act(check, false)) return false;
      const isChanged = !isSameHandChoice(hands, pageChoice(data));
      return this.exchange(isChanged ? { hands } : {}, async (progress, signal) =>
        isChanged ? chosenHands(data, engine.arrays, hands, progress, signal) : engine,
      );
    }
    return false;
  }

  /**
   * Use odds of the user's own for a game with odds; return whether that worked.
   *
   * Args:
   *   odds: the odds.
   *   goesOn: whether the current game goes on with them; otherwise the stored game with these odds is resumed.
   */
  async useOdds(odds: OwnOdds, goesOn: boolean): Promise<boolean> {
    const { data, engine } = this.home;
    if (ONLY_RACES || !engine || !this.act(() => checkOdds(odds), false)) return false;
    const isChanged = !isSameOdds(odds, pageOdds(data, engine.arrays));
    const { seats, start, enteredSteps } = this.game;
    const isDone = await this.exchange(isChanged ? { odds } : {}, async () => {
      if (!isChanged) return engine;
      const input = await withOdds(data, engine.arrays, odds);
      return engineOf(input.data, input.arrays);
    });
    if (!isDone || !goesOn || !enteredSteps.length) return isDone;
    return this.act(() => {
      const game = new Game(this.answers.table, seats, start);
      for (const { text } of enteredSteps) game.enter(text);
      this.game = game;
    });
  }

  /**
   * Replace the engine by another one and resume the stored game of its problem; return whether that worked.
   *
   * Args:
   *   stored: how the engine differs from that of the page, to be stored; nothing if it is that of the page.
   *   make: makes the engine.
   */
  private async exchange(
    stored: { rules?: Values; hands?: HandChoice; odds?: OwnOdds },
    make: (progress: (done: number) => void, signal: AbortSignal) => Promise<Engine>,
  ): Promise<boolean> {
    if (this.solving) {
      this.act(() => {
        throw new Refused('stillSolving');
      }, false);
      return false;
    }
    const { data, engine, keeper } = this.home;
    const stopper = new AbortController();
    this.stopper = stopper;
    this.solving = true;
    this.act(() => this.showProgress(0), false);
    let done = false;
    try {
      const made = await make((share) => this.showProgress(share), stopper.signal);
      const isHome = made === engine;
      done = this.act(() => {
        this.engine = made;
        this.data = isHome ? data : made.data;
        this.keeper = isHome ? keeper : new Keeper(made.data.name);
        this.quiz = null;
        this.handDraft = null;
        this.chosenHands = stored.hands;
        this.storedRules = stored.rules;
        this.ownOdds = stored.odds;
        this.oddsDraft = null;
        this.resume();
      });
    } catch (error) {
      this.act(() => {
        throw error;
      });
    } finally {
      this.solving = false;
      this.stopper = null;
      this.solvingNow.hidden = true;
    }
    if (this.keeper === keeper) this.store();
    else
      keeper.write({
        ...keeper.read(),
        house: this.storedRules,
        hands: this.chosenHands,
        odds: this.ownOdds,
      });
    fromLink(this);
    return done;
  }

  showProgress(done: number): void {
    if (this.solvingNow.hidden)
      replace(this.solvingNow, [
        this.bar,
        button(say('cancel'), () => this.stopper?.abort(), { 'data-key': 'cancel' }),
      ]);
    this.solvingNow.hidden = false;
    this.bar.value = done;
    this.bar.setAttribute('aria-label', say('solving', Math.round(100 * done)));
  }

  /** The current house rules; rules of chosen hands may lie beyond their range. */
  get rules(): Values {
    const values = Object.fromEntries(this.data.rules.map(([key, value]) => [key, value])) as Values;
    const house = this.home.data.house!;
    const rules = fitValues(house, values);
    if (WITH_HANDS && this.chosenHands)
      for (const option of house.options)
        if (isForAllHands(option)) rules[option.key] = values[option.key] ?? option.own;
    return rules;
  }

  /** Replace the current game by another one, and move it to the earlier games. */
  begin(game: Game, party: Game[] = []): void {
    setAside(this);
    this.game = game;
    this.party = party;
    this.reviewedGame = null;
    this.dice = [];
    this.untap();
    this.view = 'play';
    this.quiz = null;
    this.question = null;
  }

  get screenState(): ScreenState {
    const { view, game, party, quiz, question, unreadable, earlier, data, engine, keeper } = this;
    return {
      ...{ view, game, party, quiz, question, unreadable, earlier, data, engine, keeper },
      ...{ steps: game ? [...game.steps] : [], undone: game ? [...game.undone] : [] },
    };
  }

  restore({ steps, undone, ...before }: ScreenState): void {
    Object.assign(this, before);
    if (before.game) Object.assign(before.game, { steps, undone });
  }

  /**
   * Run an action, show its result and store the game; return whether it succeeded.
   *
   * A refusal is shown as a message. After any other error the screen is restored, and nothing is stored.
   */
  act(action: () => void, focus = true): boolean {
    const before = this.screenState;
    this.errorText = '';
    this.message = '';
    try {
      action();
      if (!this.message) this.message = endOfTurn(this, before);
      passTurn(this, before);
    } catch (error) {
      if (!(error instanceof Refused)) return this.fail(error, before);
      this.errorText = refusalText(error);
    }
    try {
      this.render(focus);
    } catch (error) {
      return this.fail(error, before);
    }
    this.store();
    return !this.errorText;
  }

  fail(error: unknown, before: ScreenState): false {
    this.restore(before);
    this.message = '';
    this.errorText = say('failed', String(error));
    this.render();
    setTimeout(() => {
      throw error; // for the console of the browser
    });
    return false;
  }

  /** Store the game. As long as the browser has no room for it, show a warning. */
  store(): void {
    if (!this.engine || this.unreadable) return;
    const hadRoom = this.hasRoom;
    this.hasRoom = this.keeper.write({
      ...this.record,
      earlier: this.earlier,
      mode: this.view,
      language: language(),
      knowsRules: this.knowsRules,
      ...(this.beat ? { beat: this.beat.isChosen } : {}),
      ...(this.keeper === this.home.keeper
        ? { house: this.storedRules, hands: this.chosenHands, odds: this.ownOdds }
        : {}),
    });
    if (this.hasRoom !== hadRoom && this.keeper.isAvailable) this.render();
  }

  /** Clear the dice and boxes that are tapped but not yet entered. */
  untap(): void {
    this.keptDice = new Set();
    this.tappedBox = '';
    this.isFresh = false;
  }

  play(action: () => void): void {
    this.act(() => {
      this.untap();
      this.game.act(action);
      this.dice = [];
      this.typedTurn = '';
      this.showsAll = false;
      this.isRollByRoll = this.isRollByRoll && this.game.untouchedTurnStart < 0;
    });
  }

  seat(p = this.game.position): Seat {
    return this.game.seats[this.answers.table.mover(p)];
  }

  // --- the screen

  render(focus = false): void {
    const key = (document.activeElement as HTMLElement | null)?.dataset?.key;
    document.documentElement.lang = language();
    this.title.textContent = this.data.title;
    this.status.textContent = '';
    this.isRepeated = false;
    replace(this.steps, this.view === 'play' && !this.question && this.engine ? undoRedo(this) : []);
    showChangedRules(this);
    showScores(this);
    const views: Record<View, () => Child[]> = {
      play: () => play(this),
      setup: () => this.setup(),
      review: () => reviewView(this),
      practice: () => practice(this),
      more: () => (this.showsSheet ? sheetView(this) : more(this)),
    };
    const content = this.question ? this.question() : views[this.view]();
    const storageWarning = this.hasRoom || !this.keeper.isAvailable ? '' : say('notStored');
    this.showStatus(storageWarning);
    this.panel.className = this.question ? 'question' : this.view;
    replace(this.panel, content);
    this.nav.hidden = this.question !== null;
    replace(this.nav, [
      h(
        'ul',
        {},
        VIEWS.filter((view) => this.engine || view === 'more').map((view) =>
          h(
            'li',
            {},
            button(say(view), () => this.act(() => this.go(view), false), {
              'aria-current': view === this.view ? 'page' : undefined,
              'data-key': `view ${view}`,
            }),
          ),
        ),
      ),
    ]);
    this.nav.setAttribute('aria-label', say('more'));
    const focused = key ? this.find(key) : null;
    if (focused) focused.focus();
    else if (focus) this.panel.querySelector<HTMLElement>('[tabindex="-1"]')?.focus({ preventScroll: true });
  }

  /** Show the error, or the message, a warning and the advice as sentences; what the list repeats is only heard. */
  private showStatus(storageWarning: string): void {
    const advice = this.status.textContent;
    const isOnlyHeard = this.isRepeated && !this.errorText && advice;
    const parts = [this.message, storageWarning, isOnlyHeard ? '' : advice].filter(Boolean);
    const isAlone = parts.length + Number(Boolean(isOnlyHeard)) < 2;
    const shown = this.errorText || (isAlone ? parts : parts.map(asSentence)).join(' ');
    this.status.className = this.errorText ? 'said error' : shown ? 'said' : 'hidden';
    replace(this.status, [
      shown,
      isOnlyHeard ? h('span', { class: 'hidden' }, shown ? ` ${advice}` : advice) : null,
    ]);
    this.status.hidden = !this.status.textContent;
  }

  find(key: string): HTMLElement | null {
    return (
      [...document.querySelectorAll<HTMLElement>('[data-key]')].find(
        (element) => element.dataset.key === key,
      ) ?? null
    );
  }

  go(view: View): void {
    this.view = view;
    this.showsSheet = false;
    this.reviewedGame = null;
    if (view !== 'practice') this.quiz = null;
    window.scrollTo(0, 0);
  }

  head(words: string, more: Child = null): HTMLElement {
    return h('h2', { tabindex: -1 }, words, more && [' ', more]);
  }

  // --- at the table

  diceRow(dice: string[]): HTMLElement | null {
    return dice.length
      ? h(
          'div',
          { class: 'tray' },
          dice.map((face) => fixedDie(faceLabel(this.data, face))),
        )
      : null;
  }

  get isPractice(): boolean {
    return (
      this.game.seats.some((seat) => seat.player === 'best') ||
      (this.data.players === 1 && this.game.isRolledByPage)
    );
  }

  // --- set up

  setup(): Child[] {
    const go = (p: Position) =>
      this.act(() => {
        this.begin(new Game(this.answers.table, this.game.seats, p));
      });
    const refuse = (error: Refused) =>
      this.act(() => {
        throw error;
      }, false);
    return [this.head(say('setup')), ...setup(this.answers.table, this.game.position, go, refuse)];
  }
}
