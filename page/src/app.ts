/** What is on the screen: the game at the table, and the views beside it. */
import { type Advice, saysMixed } from './answers';
import { chart } from './chart';
import type { PageData } from './data';
import { type Child, button, h, replace } from './dom';
import { type Engine, engine as engineOf } from './engine';
import { Game, LARGEST, type Seat } from './game';
import { type Values, houseRules, own, within } from './house';
import { Keeper, type StoredGame } from './keep';
import { Refused, visible } from './match';
import type { Choice, Position } from './play';
import { Quiz } from './quiz';
import { chances, grade, kindOf, plain, review, signed } from './review';
import { setup } from './setup';
import {
  LANGUAGES,
  action,
  amount,
  cost,
  language,
  local,
  percent,
  said,
  say,
  setLanguage,
  worth,
} from './words';
import { general, grouped, largest, roundedUp } from './numbers';

type View = 'play' | 'setup' | 'review' | 'practice' | 'more';
const VIEWS: View[] = ['play', 'review', 'practice', 'setup', 'more'];
const SHOWN = 12;
const COSTLIEST = 5;
const EARLIER = 5; // games that another one replaced, as many as are kept
const LISTED = 1000; // events that are listed, the newest of a long game
const LAST_LINE = 60; // characters of a game's last line that are shown

type Changes = [key: string, value: Values[string], usual: Values[string]][];

/** What the screen shows; restored if what should follow fails. */
interface Shown {
  view: View;
  game: Game;
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
  private view: View = 'play';
  private game!: Game;
  private dice: string[] = [];
  private typed = '';
  private all = false;
  private byThrow = false;
  private sheet = false;
  private message = '';
  private wrong = '';
  private quiz: Quiz | null = null;
  private keeper: Keeper;
  /** A question that must be answered before anything else is done. */
  private question: (() => Child[]) | null = null;
  /** A stored game that could not be opened; nothing is stored over it. */
  private unreadable: StoredGame | null = null;
  private earlier: StoredGame[] = [];
  private hasRoom = true;
  private storedRules: Values | undefined;
  private readonly home: { data: PageData; engine: Engine | null; keeper: Keeper };
  private solving = false;
  private readonly bar = h('progress', { max: 1, hidden: true });
  private readonly title = h('h1');
  private readonly changed = h('div', { class: 'changed', hidden: true });
  private readonly scores = h('ul', { class: 'scores', 'aria-label': 'scores' });
  private readonly status = h('p', { role: 'status', class: 'said' });
  private readonly panel = h('section');
  private readonly nav = h('nav');

  constructor(
    root: HTMLElement,
    private data: PageData,
    public engine: Engine | null,
  ) {
    this.keeper = new Keeper(data.name);
    this.home = { data, engine, keeper: this.keeper };
    const stored = this.keeper.read();
    setLanguage(stored.language ?? (navigator.language || 'en').slice(0, 2));
    root.append(this.title, this.changed, this.scores, this.status, this.bar, this.panel, this.nav);
    if (!engine) {
      this.view = 'more';
      this.wrong = say('noWasm');
      this.render();
      return;
    }
    this.storedRules = stored.house;
    if (!this.keeper.works) this.message = say('noStorage');
    this.game = this.fresh();
    this.resume();
    this.render();
    window.addEventListener('hashchange', () => this.fromLink());
    if (stored.house && !this.unreadable) void this.house(stored.house);
    else this.fromLink();
  }

  get id(): string {
    return this.answers.table.id(this.game.position);
  }

  private get answers(): Engine['answers'] {
    return this.engine!.answers;
  }

  // --- games

  private names(player: string): Seat[] {
    const { players } = this.data;
    const other = (n: number) => (players === 2 ? say('opponent') : say('opponentN', n));
    return Array.from({ length: players }, (_, n) => ({
      name: n ? (player === 'best' && players === 2 ? say('page') : other(n)) : say('you'),
      player: n ? player : 'person',
    }));
  }

  private fresh(seats = this.names('table')): Game {
    return new Game(this.answers.table, seats);
  }

  private parsed({ text, undone }: StoredGame): Game {
    const game = Game.parse(this.answers.table, text, this.data.game);
    game.undone = [...undone];
    return game;
  }

  /** Resume the stored game. If it cannot be read or shown, leave it stored and ask what to do. */
  private resume(): void {
    const { text, undone = [], earlier = [] } = this.keeper.read();
    const afresh = this.fresh(this.game.seats);
    this.earlier = earlier;
    this.unreadable = this.question = null;
    this.view = 'play';
    this.game = afresh;
    if (text === undefined) return;
    try {
      this.game = this.parsed({ text, undone });
      this.render();
    } catch (error) {
      this.game = afresh;
      this.unreadable = { text, undone };
      const reason = error instanceof Refused ? error.message : String(error);
      this.question = () => this.unreadableGame(text, reason);
    }
  }

  private unreadableGame(text: string, reason: string): Child[] {
    const afresh = () => {
      this.act(() => this.begin(this.fresh()));
      this.fromLink();
    };
    return [
      this.head(say('unreadable')),
      h('p', { class: 'error' }, reason),
      h('p', {}, say('unreadableText')),
      h('p', { class: 'row' }, [
        button(say('afresh'), afresh, { class: 'deed', 'data-key': 'afresh' }),
        button(say('saveStored'), () => this.save(text), { 'data-key': 'save stored' }),
      ]),
    ];
  }

  /** Keep the game that another one is to replace; a game without events is not kept. */
  private setAside(): void {
    const { unreadable, game } = this;
    const replaced = unreadable ?? (game.begun ? { text: game.text(), undone: game.undone } : null);
    this.unreadable = null;
    if (!replaced) return;
    const others = this.earlier.filter((one) => one.text !== replaced.text);
    this.earlier = [replaced, ...others].slice(0, EARLIER);
    this.message = say('setAside');
  }

  /** Replace the game by an earlier one. */
  private goBackTo(earlier: StoredGame): void {
    const game = this.parsed(earlier);
    this.earlier = this.earlier.filter((one) => one !== earlier);
    this.begin(game);
  }

  private earlierGames(): Child[] {
    if (!this.earlier.length) return [];
    const remove = (one: StoredGame) =>
      this.act(() => void (this.earlier = this.earlier.filter((other) => other !== one)));
    const items = this.earlier.map((one, n) => {
      const lines = one.text.trim().split('\n');
      const last = visible(lines[lines.length - 1].slice(0, LAST_LINE));
      return h('li', {}, say('earlierGame', local(grouped(lines.length)), last), [
        h('div', { class: 'row' }, [
          button(say('resume'), () => this.act(() => this.goBackTo(one)), { 'data-key': `resume ${n + 1}` }),
          button(say('saveEarlier'), () => this.save(one.text), { 'data-key': `save ${n + 1}` }),
          button(say('remove'), () => remove(one), { 'data-key': `remove ${n + 1}` }),
        ]),
      ]);
    });
    return [h('h2', {}, say('earlier')), h('p', {}, say('earlierText', EARLIER)), h('ol', {}, items)];
  }

  // --- links

  /** Open the position of a link; ask first if that replaces a game in progress or changes the rules. */
  private fromLink(): void {
    const parameters = new URLSearchParams(location.hash.slice(1));
    const id = parameters.get('id');
    if (!id || this.solving || this.unreadable) return;
    history.replaceState(null, '', location.pathname + location.search);
    this.act(() => {
      this.question = null;
      const rules = this.linkRules(parameters.getAll('rule'));
      const { table } = this.answers;
      if (!rules) {
        const position = table.position(id);
        if (table.same(position, this.game.position)) return this.go('play');
        if (!this.game.begun) return this.begin(new Game(table, this.game.seats, position));
      }
      this.question = () => this.linkQuestion(id, rules);
    });
  }

  /** Return the house rules of a link, or null if the page already has them. */
  private linkRules(parameters: string[]): Values | null {
    const { house } = this.home.data;
    const values: Values = {};
    for (const parameter of parameters) {
      const [key, value = ''] = parameter.split('=');
      values[key] = value === 'true' || (value !== 'false' && Number(value));
    }
    const rules = house ? within(house, values) : {};
    const wrong = parameters.find((parameter) => {
      const [key] = parameter.split('=');
      return rules[key] !== values[key];
    });
    if (wrong !== undefined)
      throw new Refused(`this page cannot use the rule of the link: ${wrong.slice(0, 60)}`);
    return house && differing(rules, this.rules).length ? rules : null;
  }

  private linkQuestion(id: string, rules: Values | null): Child[] {
    const changes = rules ? differing(rules, own(this.home.data.house!)) : [];
    const newRules = changes.length ? say('linkRules', inWords(changes)) : say('linkOwnRules');
    return [
      this.head(say('openLink')),
      h('p', {}, h('code', {}, visible(id))),
      rules ? h('p', {}, newRules) : null,
      this.game.begun ? h('p', {}, say(rules ? 'linkOtherGame' : 'linkGame')) : null,
      h('p', { class: 'row' }, [
        button(say('openIt'), () => void this.follow(id, rules), { class: 'deed', 'data-key': 'open link' }),
        button(say('stay'), () => this.act(() => void (this.question = null)), { 'data-key': 'stay' }),
      ]),
    ];
  }

  private async follow(id: string, rules: Values | null): Promise<void> {
    this.question = null;
    if (rules && !(await this.house(rules))) return;
    this.act(() =>
      this.begin(new Game(this.answers.table, this.game.seats, this.answers.table.position(id))),
    );
  }

  // --- house rules

  /** Solve the race under house rules and resume the game that was played under them; return whether that worked. */
  async house(values: Values): Promise<boolean> {
    const { data, engine, keeper } = this.home;
    if (this.solving || !engine || !data.house) return false;
    const rules = within(data.house, values);
    const moved = Object.entries(own(data.house)).some(([key, value]) => rules[key] !== value);
    this.solving = true;
    this.act(() => this.solved(0), false);
    let done = false;
    try {
      const told = moved
        ? await houseRules(data, engine.arrays, rules, (done) => this.solved(done))
        : { data, arrays: engine.arrays };
      done = this.act(() => {
        this.engine = moved ? engineOf(told.data, told.arrays) : engine;
        this.data = told.data;
        this.keeper = moved ? new Keeper(told.data.name) : keeper;
        this.quiz = null;
        this.resume();
      });
    } catch (error) {
      this.act(() => {
        throw error;
      });
    } finally {
      this.solving = false;
      this.bar.hidden = true;
    }
    this.storedRules = done && moved ? rules : undefined;
    if (this.keeper === keeper) this.keep();
    else keeper.write({ ...keeper.read(), house: this.storedRules });
    this.fromLink();
    return done;
  }

  /** Show at the top which house rules hold, with the way back. */
  private showChangedRules(): void {
    this.changed.hidden = this.data === this.home.data;
    if (this.changed.hidden) return;
    const usual = own(this.home.data.house!);
    replace(this.changed, [
      h('p', {}, say('changedRules', inWords(differing(this.rules, usual)))),
      this.question
        ? null
        : button(say('asShipped'), () => void this.house(usual), { 'data-key': 'shipped' }),
    ]);
  }

  private solved(done: number): void {
    this.bar.hidden = false;
    this.bar.value = done;
    this.bar.setAttribute('aria-label', say('solving', Math.round(100 * done)));
  }

  /** The house rules that hold now. */
  private get rules(): Values {
    const now = Object.fromEntries(this.data.rules.map(([key, value]) => [key, value])) as Values;
    return within(this.home.data.house!, now);
  }

  private houseView(): Child[] {
    const { house } = this.home.data;
    if (!this.engine || !house) return [];
    const wanted = this.rules;
    const rows = house.options.map(({ key, what, low, high, step }) => {
      const name = key.replace(/_/g, ' ');
      if (what === 'minimum_on_win') {
        const box = h('input', {
          type: 'checkbox',
          checked: Boolean(wanted[key]),
          onchange: () => void (wanted[key] = box.checked),
        });
        return h('label', { class: 'check' }, box, name);
      }
      const least = what === 'points' ? low - step : low;
      const shown = h('output', {}, local(grouped(Number(wanted[key]))));
      const slider = h('input', {
        type: 'range',
        min: least,
        max: high,
        step,
        value: Number(wanted[key]),
        'data-key': `rule ${key}`,
        oninput: () => {
          const value = Number(slider.value);
          wanted[key] = what === 'points' && value === least ? 0 : value;
          shown.textContent = local(grouped(wanted[key]));
        },
      });
      return h('label', {}, `${name}: `, shown, slider);
    });
    return [
      h('h2', {}, say('houseRules')),
      ...rows,
      h(
        'p',
        {},
        button(say('solveThem'), () => void this.house(wanted), { class: 'deed', 'data-key': 'solve' }),
      ),
    ];
  }

  /** Show another game in place of the one in progress, which is kept among the earlier games. */
  private begin(game: Game): void {
    this.setAside();
    this.game = game;
    this.view = 'play';
    this.quiz = null;
    this.question = null;
  }

  private get shown(): Shown {
    const { view, game, quiz, question, unreadable, earlier, data, engine, keeper } = this;
    return {
      ...{ view, game, quiz, question, unreadable, earlier, data, engine, keeper },
      ...{ steps: game ? [...game.steps] : [], undone: game ? [...game.undone] : [] },
    };
  }

  private restore({ steps, undone, ...before }: Shown): void {
    Object.assign(this, before);
    if (before.game) Object.assign(before.game, { steps, undone });
  }

  /**
   * Do something, show what follows, then store the game; return whether it was done.
   *
   * A refusal is shown as a message. After any other error the screen shows what it did before, and nothing is stored.
   */
  private act(what: () => void, focus = true): boolean {
    const before = this.shown;
    this.wrong = '';
    this.message = '';
    try {
      what();
    } catch (error) {
      if (!(error instanceof Refused)) return this.failed(error, before);
      this.wrong = error.message;
    }
    try {
      this.render(focus);
    } catch (error) {
      return this.failed(error, before);
    }
    this.keep();
    return !this.wrong;
  }

  private failed(error: unknown, before: Shown): false {
    this.restore(before);
    this.message = '';
    this.wrong = say('failed', String(error));
    this.render();
    setTimeout(() => {
      throw error; // for the console of the browser
    });
    return false;
  }

  /** Store the game. If the browser has no room for it, say so as long as that is so. */
  private keep(): void {
    if (!this.engine || this.unreadable) return;
    const hadRoom = this.hasRoom;
    this.hasRoom = this.keeper.write({
      text: this.game.text(),
      undone: this.game.undone,
      earlier: this.earlier,
      mode: this.view,
      language: language(),
      house: this.keeper === this.home.keeper ? this.storedRules : undefined,
    });
    if (this.hasRoom !== hadRoom && this.keeper.works) this.render();
  }

  private played(what: () => void): void {
    this.act(() => {
      this.game.act(what);
      this.dice = [];
      this.typed = '';
      this.all = false;
      this.byThrow = this.byThrow && this.game.untold < 0;
    });
  }

  private seat(p = this.game.position): Seat {
    return this.game.seats[this.answers.table.mover(p)];
  }

  // --- the screen

  private render(focus = false): void {
    const key = (document.activeElement as HTMLElement | null)?.dataset?.key;
    document.documentElement.lang = language();
    this.title.textContent = this.data.title;
    this.status.textContent = '';
    this.status.className = 'said';
    this.showChangedRules();
    this.showScores();
    const views: Record<View, () => Child[]> = {
      play: () => this.play(),
      setup: () => this.setup(),
      review: () => this.reviewed(),
      practice: () => this.practice(),
      more: () => (this.sheet ? this.sheetView() : this.more()),
    };
    const shown = this.question ? this.question() : views[this.view]();
    const room = this.hasRoom || !this.keeper.works ? '' : say('notStored');
    const heard = [this.message, room, this.status.textContent].filter(Boolean).join(' ');
    this.status.textContent = this.wrong || heard;
    if (this.wrong) this.status.className = 'said error';
    this.status.hidden = !this.status.textContent;
    replace(this.panel, shown);
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
    const same = key ? this.find(key) : null;
    if (same) same.focus();
    else if (focus) this.panel.querySelector<HTMLElement>('[tabindex="-1"]')?.focus({ preventScroll: true });
  }

  private find(key: string): HTMLElement | null {
    return (
      [...document.querySelectorAll<HTMLElement>('[data-key]')].find((one) => one.dataset.key === key) ?? null
    );
  }

  private go(view: View): void {
    this.view = view;
    this.sheet = false;
    if (view !== 'practice') this.quiz = null;
    window.scrollTo(0, 0);
  }

  private head(words: string): HTMLElement {
    return h('h2', { tabindex: -1 }, words);
  }

  private showScores(): void {
    this.scores.hidden =
      !this.engine || this.view === 'more' || this.quiz !== null || this.unreadable !== null;
    if (this.scores.hidden) return;
    const { table } = this.answers;
    const p = this.game.position;
    const held = table.match.scores(p.b);
    const values = p.at === 'over' ? null : this.answers.values(p);
    const mover = p.at === 'over' ? -1 : table.mover(p);
    this.scores.setAttribute('aria-label', say('position'));
    replace(
      this.scores,
      this.game.seats.map((seat, n) => {
        const share = values && chances(this.data.objective);
        return h(
          'li',
          { class: n === mover ? 'moves' : '' },
          h('span', {}, n === mover ? say('yourTurn', seat.name) : seat.name),
          held.length ? h('b', {}, local(grouped(held[n]))) : null,
          values ? h('span', {}, worth(values[n], this.data.objective)) : null,
          share
            ? h('meter', { min: 0, max: 1, value: values[n], 'aria-label': say('toWin', seat.name) })
            : null,
        );
      }),
    );
  }

  // --- at the table

  private play(): Child[] {
    const { game } = this;
    const p = game.position;
    const table = this.answers.table;
    const parts: Child[] = [];
    if (p.at === 'over') {
      parts.push(this.finished());
    } else if (this.seat().player === 'table' && game.untold >= 0 && !this.byThrow) {
      parts.push(this.others(p));
    } else if (p.at === 'throw') {
      parts.push(this.throwing(p));
    } else {
      const words = say('chooseNow', this.seat().name);
      parts.push(this.head(`${words} ${this.inHand(p)}`), this.lying(table.shown(p)));
      parts.push(this.choosing(p));
    }
    return [parts, this.backAndForth(), this.backToEarlier(), this.history()];
  }

  private inHand(p: Position): string {
    return p.points ? `(${say('turnHolds', local(grouped(p.points)))})` : '';
  }

  private lying(dice: string[]): HTMLElement | null {
    if (!dice.length) return null;
    const shown = dice.map((face) => h('span', { class: 'die lies', 'aria-hidden': 'true' }, face));
    return h('div', { class: 'tray' }, h('span', { class: 'hidden' }, dice.join(' ')), shown);
  }

  private throwing(p: Position): Child[] {
    const table = this.answers.table;
    const { words } = table.thrown(p);
    const head = this.head(`${say('throwNow', this.seat().name, action(words))} ${this.inHand(p)}`);
    const parts: Child[] = [head];
    if (this.seat().player === 'best' || this.practising) {
      parts.push(
        h(
          'p',
          {},
          button(say('rollForMe'), () => this.played(() => this.roll()), {
            class: 'deed',
            'data-key': 'roll',
          }),
        ),
      );
    } else {
      parts.push(this.entry(p));
    }
    if (this.seat().player === 'table' && this.game.untold >= 0)
      parts.push(button(say('wholeTurn'), () => this.act(() => void (this.byThrow = false))));
    return parts;
  }

  private get practising(): boolean {
    return (
      this.game.seats.some((seat) => seat.player === 'best') || (this.data.players === 1 && this.game.rolled)
    );
  }

  /** The dice as they lie, told by tapping their faces; or what fell, in words. */
  private entry(p: Position): Child[] {
    const table = this.answers.table;
    const options = table.options(p);
    if (options)
      return [
        h(
          'div',
          { class: 'chips' },
          options.map(({ words, after }) =>
            button(action(words), () => this.played(() => this.game.fell(after)), {
              'data-key': `fell ${words}`,
            }),
          ),
        ),
      ];
    const { dice, lies } = table.thrown(p);
    const left = dice - this.dice.length;
    const tray = [
      ...lies.map((face) => h('span', { class: 'die lies' }, face)),
      ...this.dice.map((face, n) =>
        button(face, () => this.act(() => void this.dice.splice(n, 1), false), {
          class: 'die',
          'aria-label': say('removeDie', face),
          'data-key': `die ${n}`,
        }),
      ),
      ...Array.from({ length: left }, () => h('span', { class: 'empty', 'aria-hidden': 'true' })),
    ];
    const faces = table.facesOf(p).map((face) =>
      button(face, () => this.fell(p, face), {
        class: 'die',
        'aria-label': say('addFace', face),
        'data-key': `face ${face}`,
      }),
    );
    return [
      h('div', { class: 'tray', role: 'group', 'aria-label': say('dice') }, tray),
      h('div', { class: 'faces', role: 'group', 'aria-label': say('faces') }, faces),
      h('p', { 'aria-live': 'polite' }, say('missing', left)),
    ];
  }

  private fell(p: Position, face: string): void {
    this.act(() => {
      const { dice, lies } = this.answers.table.thrown(p);
      this.dice.push(face);
      if (this.dice.length < dice) return;
      const told = this.dice;
      this.dice = [];
      const after = this.answers.table.read(p, [...lies, ...told]) ?? this.answers.table.read(p, told);
      if (!after) throw new Refused(`${told.join(' ')} cannot fall here`);
      this.game.act(() => this.game.fell(after));
      this.all = false;
    });
  }

  private roll(): void {
    const table = this.answers.table;
    const p = this.game.position;
    const weights = Array.from({ length: table.falls(p) }, (_, n) => table.fall(p, n).weight);
    let place = random() * weights.reduce((a, b) => a + b, 0);
    let n = 0;
    while (n < weights.length - 1 && place >= weights[n]) place -= weights[n++];
    this.game.rolled = true;
    this.game.fell(table.fall(p, n).after);
  }

  /** Where practice goes on by itself: the page plays its own turns. */
  private pagePlays(): void {
    while (!this.game.over && this.seat().player === 'best') {
      const p = this.game.position;
      if (p.at === 'throw') this.roll();
      else this.game.choose(this.answers.advise(p).choices[0], this.answers.table.choices(p).length);
    }
  }

  private choosing(p: Position): Child[] {
    const advice = this.answers.advise(p);
    if (this.practising) {
      const order = this.answers.table.choices(p);
      return [this.list(order.map((choice) => this.bare(choice, () => this.answered(advice, choice))))];
    }
    this.status.textContent = this.sentence(advice);
    const shown = this.all ? advice.choices : advice.choices.slice(0, SHOWN);
    const count = advice.choices.length;
    return [
      this.list(
        shown.map((one, n) => {
          const loss = n
            ? one.tie
              ? say('best')
              : say('costs', cost(one.loss, this.data.objective))
            : say('best');
          const busts = one.bust ? `${said(this.data.mishap[0])} ${percent(one.bust)}` : '';
          const numbers = [worth(one.value, this.data.objective), loss, busts].filter(Boolean);
          return h(
            'li',
            {},
            h(
              'button',
              {
                type: 'button',
                class: n && !one.tie ? '' : 'best',
                onclick: () => this.played(() => this.game.choose(one, count)),
              },
              h('span', {}, action(one.action)),
              h(
                'span',
                { class: 'numbers' },
                numbers.flatMap((words, k) => [k ? ' · ' : '', h('span', {}, words)]),
              ),
            ),
          );
        }),
      ),
      count > shown.length
        ? button(say('moreChoices', count), () => this.act(() => void (this.all = true)))
        : null,
    ];
  }

  private list(items: HTMLElement[]): HTMLElement {
    return h('ol', { class: 'choices', 'aria-label': say('choices') }, items);
  }

  private bare(choice: Choice, act: () => void): HTMLElement {
    return h('li', {}, h('button', { type: 'button', onclick: act }, h('span', {}, action(choice.action))));
  }

  /** A choice made in practice: what it cost, and the page's own turns. */
  private answered(advice: Advice, choice: Choice): void {
    this.played(() => {
      this.game.choose(choice, advice.choices.length);
      this.pagePlays();
    });
    this.message = this.verdict(advice, choice);
    this.render();
  }

  private verdict(advice: Advice, choice: Choice): string {
    const made = advice.choices.find((one) => one.action === choice.action)!;
    if (made.tie) return say('right', action(made.action));
    return say('thatCost', cost(made.loss, this.data.objective), action(advice.choices[0].action));
  }

  /** What to do and what the rest costs, in a sentence or two. */
  private sentence({ choices, note, mixed }: Advice): string {
    const objective = this.data.objective;
    const [best, ...rest] = choices;
    const ties = rest.filter((one) => one.tie);
    const other = rest.find((one) => !one.tie);
    let text = `${action(best.action)}: ${worth(best.value, objective)}`;
    if (best.bust) text += say('busting', said(this.data.mishap[1]), percent(best.bust));
    if (ties.length) text += say('justAsGood', ties.map((one) => action(one.action)).join('; '));
    if (other) text += say('nextBest', action(other.action), cost(other.loss, objective));
    return [`${text}.`, note, saysMixed(choices, mixed) ? this.mixedTurns(mixed, choices.length) : '']
      .filter(Boolean)
      .join(' ');
  }

  private mixedTurns([first, second]: Advice['mixed'], choices: number): string {
    const [often, otherwise] = [percent(first.share), percent(second.share)];
    return choices === 1
      ? say('mixedHere', often, otherwise)
      : say('mixed', often, action(first.action), otherwise, action(second.action));
  }

  private others(p: Position): Child[] {
    const match = this.answers.table.match;
    const told = (words: string) => this.played(() => this.game.tell(`turn ${words}`));
    const chips = match
      .usual(p.b)
      .map(([words, label]) =>
        button(local(said(label)), () => told(words), { 'data-key': `turn ${words}` }),
      );
    const field = h('input', {
      type: 'text',
      inputmode: /^\d/.test(match.usual(p.b)[1]?.[0] ?? '1') ? 'numeric' : 'text',
      'aria-label': say('other'),
      value: this.typed,
      'data-key': 'typed',
      oninput: () => void (this.typed = field.value),
      onkeydown: (event) => (event as KeyboardEvent).key === 'Enter' && told(field.value),
    });
    return [
      this.head(say('othersTurn', this.seat().name)),
      h('div', { class: 'chips' }, chips),
      h('p', {}, say('other')),
      h(
        'div',
        { class: 'row' },
        field,
        button(say('enter'), () => told(field.value), { class: 'deed' }),
      ),
      h(
        'p',
        {},
        button(say('throwByThrow'), () => this.act(() => void (this.byThrow = true))),
      ),
    ];
  }

  private finished(): Child[] {
    const ended = this.answers.table.match.over(this.game.position.b)!;
    const { seats } = this.game;
    const top = largest(ended);
    const winners = seats.filter((_, n) => ended[n] === top).map((seat) => seat.name);
    const won = seats.length > 1 ? say(winners.length > 1 ? 'shared' : 'wins', winners.join(', ')) : '';
    const totals = chances(this.data.objective)
      ? []
      : seats.map((seat, n) => say('scored', seat.name, ended[n]));
    return [
      this.head([say('over'), won, ...totals].filter(Boolean).join(' ')),
      button(say('review'), () => this.act(() => this.go('review')), { class: 'deed' }),
      ' ',
      button(say('newGame'), () => this.act(() => this.begin(this.fresh(this.game.seats)))),
    ];
  }

  private backAndForth(): HTMLElement {
    const { game } = this;
    return h(
      'p',
      { class: 'row no-print' },
      button(say('undo'), () => this.act(() => this.back()), {
        disabled: !game.told.length,
        'data-key': 'undo',
      }),
      button(say('redo'), () => this.act(() => game.redo()), {
        disabled: !game.undone.length,
        'data-key': 'redo',
      }),
    );
  }

  /** Before a game begins, the way back to the one that it replaced. */
  private backToEarlier(): HTMLElement | null {
    const [earlier] = this.earlier;
    if (!earlier || this.game.begun) return null;
    const back = () => this.act(() => this.goBackTo(earlier));
    return h('p', { class: 'no-print' }, button(say('backToEarlier'), back, { 'data-key': 'earlier' }));
  }

  private back(): void {
    this.dice = [];
    this.game.undo();
  }

  private history(): HTMLElement | null {
    const steps = this.game.told;
    if (!steps.length) return null;
    return h('details', {}, h('summary', {}, say('history')), [
      this.newest(steps, (step) =>
        h('li', {}, say('whatFell', this.game.seats[step.seat].name, action(step.said))),
      ),
    ]);
  }

  /** List the newest events, numbered as in the whole game. */
  private newest<T>(events: T[], item: (event: T) => HTMLElement): Child[] {
    const first = Math.max(0, events.length - LISTED);
    return [
      first ? h('p', {}, say('eventsShown', local(grouped(LISTED)), local(grouped(events.length)))) : null,
      h('ol', { class: 'events', start: first + 1 }, events.slice(first).map(item)),
    ];
  }

  // --- the review

  private reviewed(): Child[] {
    const { game, data } = this;
    const { objective } = data;
    if (!game.steps.length) return [this.head(say('review')), h('p', {}, say('nothingYet'))];
    const judged = review(this.answers, game);
    const strip = (text: string) => amount(text.replace(/ (points|turns)$/, ''));
    const seats = judged.seats.map((seat) => [
      plain(seat.start, objective),
      signed(seat.luck, objective),
      signed(-seat.ownErrors, objective),
      signed(seat.fromOthers, objective),
      plain(seat.outcome, objective),
      seat.decisions ? signed(seat.ownErrors / seat.decisions, objective).replace(/^\+/, '') : '',
    ]);
    const heads = (['start', 'luck', 'errors', 'others', 'outcome', 'perChoice'] as const).map((key) =>
      say(key),
    );
    const names = game.seats.map((seat) => h('th', { scope: 'col' }, seat.name));
    const rows = heads.map((head, n) =>
      h(
        'tr',
        {},
        h('th', { scope: 'row' }, head),
        seats.map((cells) => h('td', {}, cells[n] ? strip(cells[n]) : say('none'))),
      ),
    );
    const shorts = judged.seats.map((seat, n) => {
      if (!seat.decisions) return say('nothingDecided', game.seats[n].name);
      const word = chances(objective) ? ` (${said(grade(seat.ownErrors / seat.decisions))})` : '';
      const without = amount(plain(seat.outcome - seat.luck, objective));
      return say(
        'short',
        game.seats[n].name,
        seat.mistakes,
        seat.decisions,
        cost(seat.ownErrors, objective),
        word,
        without,
      );
    });
    const worst = judged.events.filter((event) => event.error > 0).sort((a, b) => b.error - a.error);
    return [
      this.head(say('review')),
      h('p', {}, say(judged.over ? 'reviewOver' : 'reviewOpen')),
      ...(data.players > 1 ? game.seats.slice(0, 1) : game.seats).map((seat, n) =>
        chart(judged, n, seat.name, objective),
      ),
      h(
        'div',
        { class: 'wide', tabindex: 0, role: 'region', 'aria-label': say('review') },
        h('table', {}, h('tr', {}, h('td'), names), rows),
      ),
      h('p', {}, say('meaning')),
      h(
        'ul',
        {},
        shorts.map((line) => h('li', {}, line)),
      ),
      worst.length ? h('h2', {}, say('costliest')) : null,
      h(
        'ol',
        {},
        worst.slice(0, COSTLIEST).map((event) => {
          const number = judged.events.indexOf(event) + 1;
          const chosen = action(event.step.choice!.action);
          const loss = cost(event.error, objective);
          const best = action(event.best!.action);
          return h(
            'li',
            {},
            say('mistake', game.seats[event.step.seat].name, say('event', number), chosen, loss, best),
            ` (${said(kindOf(this.answers, event))}) `,
            h('code', {}, this.answers.table.id(event.step.position)),
          );
        }),
      ),
      h('h2', {}, say('through')),
      this.newest(judged.events, (event) => {
        const words = event.step.said || event.step.choice?.action || '';
        const shown =
          judged.seats.length > 1 || chances(objective) ? ` ${amount(plain(event.value[0], objective))}` : '';
        return h(
          'li',
          {},
          say('whatFell', game.seats[event.step.seat].name, action(words)),
          h('span', { class: 'numbers' }, shown),
          event.error > 0 ? h('span', { class: 'lost' }, ` -${cost(event.error, objective)}`) : null,
        );
      }),
      h(
        'p',
        { class: 'no-print' },
        button(say('print'), () => window.print()),
      ),
    ];
  }

  // --- practice

  private practice(): Child[] {
    if (this.quiz) return this.asking(this.quiz);
    return [
      this.head(say('practice')),
      h('p', {}, say('practiceText')),
      button(say('against'), () => this.act(() => this.against()), { class: 'deed' }),
      h('h2', {}, say('quiz')),
      h('p', {}, say('quizText')),
      button(say('quiz'), () => this.act(() => void (this.quiz = new Quiz(this.answers, random)))),
    ];
  }

  private against(): void {
    this.begin(this.fresh(this.names('best')));
    this.game.rolled = true;
    this.pagePlays();
  }

  private asking(quiz: Quiz): Child[] {
    const { table } = this.answers;
    const p = quiz.position;
    const objective = this.data.objective;
    const told = table
      .tell(p)
      .filter(([name]) => name !== 'roll' && name !== 'dice')
      .map(
        ([name, value]) =>
          `${name.replace(/_/g, ' ')} ${local(/^\d+$/.test(value) ? grouped(Number(value)) : value)}`,
      );
    const parts: Child[] = [
      this.head(say('quizText')),
      h('p', {}, told.join(' · ')),
      this.lying(table.shown(p)),
    ];
    if (quiz.made) {
      const { loss, best } = quiz.verdict!;
      this.status.textContent = loss
        ? say('wrong', cost(loss, objective), action(best))
        : say('right', action(best));
      parts.push(
        this.list(
          quiz.advice.choices
            .slice(0, SHOWN)
            .map((one, n) =>
              h(
                'li',
                {},
                `${action(one.action)}: ${worth(one.value, objective)}${n ? ` · ${say('costs', cost(one.loss, objective))}` : ''}`,
              ),
            ),
        ),
        button(say('next'), () => this.act(() => quiz.next()), { class: 'deed', 'data-key': 'next' }),
      );
    } else {
      parts.push(
        this.list(
          table.choices(p).map((choice) => this.bare(choice, () => this.act(() => quiz.answer(choice)))),
        ),
      );
    }
    parts.push(
      h('p', {}, say('tally', quiz.right, quiz.asked, cost(quiz.lost, objective))),
      button(say('stop'), () => this.act(() => void (this.quiz = null))),
    );
    return parts;
  }

  // --- set up

  private setup(): Child[] {
    const go = (p: Position) =>
      this.act(() => {
        this.begin(new Game(this.answers.table, this.game.seats, p));
      });
    const refuse = (words: string) =>
      this.act(() => {
        throw new Refused(words);
      }, false);
    return [this.head(say('setup')), ...setup(this.answers.table, this.game.position, go, refuse)];
  }

  // --- everything else

  private more(): Child[] {
    const { data } = this;
    const names: HTMLInputElement[] = [];
    const told: HTMLInputElement[] = [];
    const seats = this.engine ? this.game.seats : [];
    const rows = seats.map((seat, n) => {
      const name = h('input', {
        type: 'text',
        maxlength: 20,
        value: seat.name,
        'aria-label': say('seatOf', n + 1),
      });
      const own = h('input', { type: 'checkbox', checked: seat.player === 'person' });
      names.push(name);
      told.push(own);
      return h('div', { class: 'row' }, name, h('label', { class: 'check' }, own, say('advised')));
    });
    const start = () =>
      this.act(() => {
        const chosen = names.map((name, n) => ({
          name: name.value.trim(),
          player: told[n].checked ? 'person' : 'table',
        }));
        this.begin(this.fresh(chosen));
      });
    const file = h('input', {
      type: 'file',
      class: 'hidden',
      id: 'file',
      onchange: () => void this.load(file.files?.[0]),
    });
    const languages = h(
      'select',
      {
        'aria-label': say('languageIs'),
        onchange: () => this.act(() => setLanguage(languages.value), false),
      },
      Object.entries(LANGUAGES).map(([key, words]) =>
        h('option', { value: key, selected: key === language(), lang: key }, words.language),
      ),
    );
    const playing = this.engine
      ? [
          h('h2', { tabindex: -1 }, say('newGame')),
          ...rows,
          h('p', {}, button(say('begin'), start, { class: 'deed' })),
          h(
            'p',
            { class: 'row' },
            button(say('save'), () => this.save(this.game.text())),
            h('label', { class: 'file', for: 'file' }, say('load')),
            file,
            'share' in navigator ? button(say('shareGame'), () => void this.share()) : null,
            button(say('sharePosition'), () => void this.link()),
          ),
        ]
      : [];
    return [
      playing,
      this.earlierGames(),
      h('h2', {}, say('languageIs')),
      languages,
      data.sheet
        ? h(
            'p',
            {},
            button(say('sheet'), () => this.act(() => void (this.sheet = true))),
          )
        : null,
      ...this.houseView(),
      h('h2', {}, say('rules')),
      h(
        'dl',
        {},
        data.rules.flatMap(([key, value, usual, reason]) => [
          h(
            'dt',
            {},
            h('b', {}, `${key.replace(/_/g, ' ')}: ${String(value)}`),
            ` (${say(usual ? 'usual' : 'different')})`,
          ),
          h('dd', { lang: 'en' }, reason),
        ]),
      ),
      h('h2', {}, say('about')),
      h('p', {}, say('aboutText', roundedUp(data.error_bound))),
      data.regret === null ? null : h('p', {}, say('regret', general(data.regret, 2))),
      h('p', {}, say('questionIs', data.name, data.fingerprint, data.engine)),
    ];
  }

  private save(text: string): void {
    const link = h('a', {
      href: URL.createObjectURL(new Blob([text], { type: 'text/plain' })),
      download: `${this.data.game}.kw`,
    });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }

  private async load(file: File | undefined): Promise<void> {
    if (!file) return;
    const text = file.size > LARGEST ? null : await file.text().catch(() => undefined);
    this.act(() => {
      if (text === null) throw new Refused(`${file.name} is too large for a game file`);
      if (text === undefined) throw new Refused(`${file.name} cannot be read`);
      this.begin(Game.parse(this.answers.table, text, file.name));
      this.message = [say('loaded', file.name), this.message].filter(Boolean).join(' ');
    });
  }

  private async share(): Promise<void> {
    const file = new File([this.game.text()], `${this.data.game}.kw.txt`, { type: 'text/plain' });
    if (navigator.canShare?.({ files: [file] }))
      await navigator.share({ files: [file] }).catch(() => undefined);
    else this.save(this.game.text());
  }

  private async link(): Promise<void> {
    const moved = this.data === this.home.data ? [] : Object.entries(this.rules);
    const rules = moved.map(([key, value]) => `&rule=${key}=${value}`).join('');
    const url = `${location.href.split('#')[0]}#id=${encodeURIComponent(this.id)}${rules}`;
    let copied = true;
    try {
      await navigator.clipboard.writeText(url);
    } catch {
      copied = false;
    }
    this.act(() => void (this.message = copied ? say('copied') : `${say('copy')} ${url}`), false);
  }

  private sheetView(): Child[] {
    const sheet = this.data.sheet!;
    return [
      h(
        'article',
        { class: 'sheet', lang: 'en' },
        h('h2', { tabindex: -1 }, sheet.title),
        sheet.facts.map((line) => h('p', {}, line)),
        h(
          'ul',
          {},
          sheet.lines.map((line) => h('li', {}, line)),
        ),
        sheet.tables.map((table) =>
          h(
            'section',
            {},
            h('h2', {}, table.heading),
            h(
              'div',
              { class: 'wide', tabindex: 0, role: 'region', 'aria-label': table.heading },
              h(
                'table',
                {},
                h(
                  'tr',
                  {},
                  table.columns.map((column) => h('th', { scope: 'col' }, column)),
                ),
                table.rows.map((row) =>
                  h(
                    'tr',
                    {},
                    row.map((cell) => h('td', {}, cell)),
                  ),
                ),
              ),
            ),
            table.note ? h('p', {}, table.note) : null,
          ),
        ),
        sheet.cost.map((line) => h('p', {}, line)),
      ),
      h(
        'p',
        { class: 'row no-print' },
        button(say('print'), () => window.print(), { class: 'deed' }),
        button(say('back'), () => this.act(() => void (this.sheet = false))),
      ),
    ];
  }
}

/** Return the rules of `values` that differ from the usual ones. */
function differing(values: Values, usual: Values): Changes {
  return Object.keys(values)
    .filter((key) => values[key] !== usual[key])
    .map((key) => [key, values[key], usual[key]]);
}

/** Render changed rules: target 10 instead of 5,000. */
function inWords(changes: Changes): string {
  const word = (value: Values[string]) =>
    typeof value === 'number' ? local(grouped(value)) : say(value ? 'yes' : 'no');
  return changes
    .map(([key, value, usual]) => say('insteadOf', key.replace(/_/g, ' '), word(value), word(usual)))
    .join('; ');
}

/** From 0 to below 1, by the browser's own source where it has one. */
function random(): number {
  if (typeof crypto !== 'object') return Math.random();
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return (high * 2 ** 21 + (low >>> 11)) / 2 ** 53;
}
