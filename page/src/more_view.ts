/** The view for new games, seats, files, language, rules and information about the page. */
import { type App } from './app';
import { button, type Child, h } from './dom';
import { type PageData } from './data';
import { checkNames, Game, LARGEST } from './game';
import { isShared, MOST_PEOPLE } from './party';
import { handsView } from './hands_view';
import { houseView } from './house_view';
import { link } from './links';
import { oddsView } from './odds_view';
import { isSameOdds, oddsOfFile, pageOdds, takesOdds } from './own_odds';
import { ruleSentences } from './play_view';
import { Refused } from './problem';
import { formatGeneral, grouped, roundUp } from './numbers';
import { earlierGames } from './stored_games';
import { formatBound, language, LANGUAGES, local, say, setLanguage } from './words';

/** Return a link to the page for three players; null if no address of one is known. */
function pageForThree({ page_for_three: address }: PageData): HTMLElement | null {
  return address ? h('p', {}, h('a', { href: address }, say('forThree'))) : null;
}

/** Return what people can do who have the program, in a fold; null if there is nothing. */
function withProgram({ page_for_three: address, match }: PageData): HTMLElement | null {
  const texts = [
    address === '' ? say('forTwo') : '',
    (match as unknown as { example_odds?: boolean }).example_odds ? say('oddsOwn') : '',
  ].filter(Boolean);
  if (!texts.length) return null;
  return h(
    'details',
    {},
    h('summary', {}, say('withProgram')),
    texts.map((text) => h('p', {}, text)),
  );
}

export function more(app: App): Child[] {
  const { data } = app;
  const names: HTMLInputElement[] = [];
  const adviceBoxes: HTMLInputElement[] = [];
  const people = app.party.map((game) => game.seats[0]);
  const added = Array.from({ length: app.addedPeople }, (_, n) => ({
    name: say('playerN', Math.max(1, people.length) + n + 1),
    player: 'person',
  }));
  const seats = app.engine ? [...(people.length ? people : app.game.seats), ...added] : [];
  const rows = seats.map((seat, n) => {
    const name = h('input', {
      type: 'text',
      maxlength: 20,
      value: seat.name,
      'aria-label': say('seatOf', n + 1),
    });
    const adviceBox = h('input', { type: 'checkbox', checked: seat.player === 'person' });
    names.push(name);
    adviceBoxes.push(adviceBox);
    const advised = isShared(app) ? null : h('label', { class: 'check' }, adviceBox, say('advised'));
    return h('div', { class: 'row' }, name, advised);
  });
  const startGame = () =>
    app.act(() => {
      const newSeats = names.map((name, n) => ({
        name: name.value.trim(),
        player: adviceBoxes[n].checked ? 'person' : 'table',
      }));
      app.addedPeople = 0;
      if (!isShared(app)) return app.begin(app.newGame(newSeats));
      const namedSeats = newSeats.filter(({ name }) => name).map(({ name }) => ({ name, player: 'person' }));
      checkNames(namedSeats);
      const games = namedSeats.map((seat) => app.newGame([seat]));
      if (!games.length) throw new Refused('giveName');
      app.begin(games[0], games.length > 1 ? games : []);
    });
  const file = h('input', {
    type: 'file',
    class: 'hidden',
    id: 'file',
    onchange: () => void load(app, file.files?.[0]),
  });
  const languages = h(
    'select',
    {
      'aria-label': say('languageIs'),
      onchange: () =>
        app.act(() => {
          const isNew = app.hasUsualNames;
          setLanguage(languages.value);
          app.keeper.siteLanguage = languages.value;
          if (isNew) app.game = app.newGame();
        }, false),
    },
    Object.entries(LANGUAGES).map(([key, words]) =>
      h('option', { value: key, selected: key === language(), lang: key }, words.language),
    ),
  );
  const gameSection = app.engine
    ? [
        h('h2', { tabindex: -1 }, say('newGame')),
        ...rows,
        isShared(app) && rows.length < MOST_PEOPLE
          ? h(
              'p',
              {},
              button(say('addPerson'), () => app.act(() => void app.addedPeople++, false), {
                'data-key': 'add person',
              }),
            )
          : null,
        isShared(app) ? h('p', {}, say(data.family === 'tiles' ? 'sharedTiles' : 'sharedText')) : null,
        pageForThree(data),
        h('p', {}, button(say('begin'), startGame, { class: 'deed', 'data-key': 'begin' })),
        h(
          'p',
          { class: 'row' },
          button(say('save'), () => save(app, app.game.text())),
          h('label', { class: 'file', for: 'file' }, say('load')),
          file,
          'share' in navigator ? button(say('shareGame'), () => void share(app)) : null,
          button(say('sharePosition'), () => void link(app)),
        ),
      ]
    : [];
  return [
    gameSection,
    earlierGames(app),
    h('h2', {}, say('languageIs')),
    languages,
    data.sheet
      ? h(
          'p',
          {},
          button(say('sheet'), () => app.act(() => void (app.showsSheet = true))),
        )
      : null,
    ...(WITH_HANDS ? handsView(app) : []),
    ...oddsView(app),
    ...houseView(app),
    h('h2', {}, say('rules')),
    ruleSentences(app),
    h(
      'details',
      { open: data !== app.home.data },
      h('summary', {}, say('ruleOptions')),
      h(
        'dl',
        {},
        data.rules.flatMap(([key, value, usual, reason]) => [
          h(
            'dt',
            {},
            h('b', {}, `${key.replace(/_/g, ' ')}: ${ruleValue(value)}`),
            value === usual ? null : ` (${say('defaultIs', ruleValue(usual))})`,
          ),
          h('dd', { lang: 'en' }, reason),
        ]),
      ),
      app.home.data.house ? h('p', {}, say('otherRulesFile')) : null,
    ),
    withProgram(data),
    h('h2', {}, say('about')),
    h('p', {}, say('aboutText', formatBound(roundUp(data.error_bound)))),
    data.rounding ? h('p', {}, say('roundedText', formatBound(roundUp(100 * data.rounding)))) : null,
    data.regret === null ? null : h('p', {}, say('regret', formatBound(formatGeneral(data.regret, 2)))),
    h('p', {}, say('questionIs', data.name, data.fingerprint, data.engine)),
  ];
}

/** Format the value of a rule for display. */
function ruleValue(value: unknown): string {
  if (typeof value === 'boolean') return say(value ? 'yes' : 'no');
  return typeof value === 'number' ? local(grouped(value)) : String(value).replace(/_/g, ' ');
}

export function save(app: App, text: string): void {
  const link = h('a', {
    href: URL.createObjectURL(new Blob([text], { type: 'text/plain' })),
    download: `${app.data.game}.kw`,
  });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export async function load(app: App, file: File | undefined): Promise<void> {
  if (!file) return;
  const text = file.size > LARGEST ? null : await file.text().catch(() => undefined);
  if (!ONLY_RACES && text && app.home.engine && takesOdds(app.home.data)) {
    const own = pageOdds(app.home.data, app.home.engine.arrays);
    const odds = oddsOfFile(app.home.data, text) ?? own;
    if (!isSameOdds(odds, app.ownOdds ?? own)) await app.useOdds(odds, false);
  }
  app.act(() => {
    if (text === null) throw new Refused('fileTooLarge', file.name);
    if (text === undefined) throw new Refused('fileUnreadable', file.name);
    app.begin(Game.parse(app.answers.table, text, file.name));
    app.message = [say('loaded', file.name), app.message].filter(Boolean).join(' ');
  });
}

export async function share(app: App): Promise<void> {
  const file = new File([app.game.text()], `${app.data.game}.kw.txt`, { type: 'text/plain' });
  if (navigator.canShare?.({ files: [file] }))
    await navigator.share({ files: [file] }).catch(() => undefined);
  else save(app, app.game.text());
}
