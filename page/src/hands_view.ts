/** The choice of the hands of both players from the catalogue. */
import { type App } from './app';
import {
  type Chooser,
  estimateSeconds,
  type HandChoice,
  type HandDice,
  ownHandsUnder,
  pageChoice,
} from './chosen_hands';
import { button, type Child, h } from './dom';
import { capital, houseText, say } from './words';

export function handsView(app: App): Child[] {
  const { data } = app.home;
  const { chooser } = data;
  if (!app.engine || !chooser) return [];
  const own = () => (app.storedRules && data.house ? ownHandsUnder(data, app.storedRules) : pageChoice(data));
  const draft = (app.handDraft ??= copyOf(app.chosenHands ?? own()));
  const names = app.usualSeats('table').map(({ name }) => name);
  const seats = draft.hands.map((_, seat) =>
    handView(app, chooser, draft, seat, names[seat] ?? say('opponent')),
  );
  const points = (key: string, name: string, value: number, change: (value: number) => void) => {
    const input = h('input', {
      type: 'text',
      inputmode: 'numeric',
      value,
      'aria-label': name,
      'data-key': `hand ${key}`,
      oninput: () => change(Number(input.value.replace(/[,.\s]/g, ''))),
    });
    return h('div', { class: 'option' }, h('label', {}, say('labelOf', name), ' ', input));
  };
  const target = points('target', say('targetIs'), draft.target, (value) => {
    draft.target = value;
    showTime();
  });
  const stops = { ...chooser.race, ...draft.stops };
  draft.stops = stops;
  const banks = (['opening', 'minimum'] as const).map((name) =>
    points(name, ruleName(name), stops[name], (value) => void (stops[name] = value)),
  );
  const onWin = h('input', {
    type: 'checkbox',
    checked: stops.minimum_on_win,
    'data-key': 'hand minimum_on_win',
    onchange: () => void (stops.minimum_on_win = onWin.checked),
  });
  const time = h('p', { class: 'hint' });
  const showTime = () => {
    const seconds = Math.ceil(estimateSeconds(data, draft));
    time.textContent =
      draft.objective === 'points'
        ? ''
        : seconds < 100
          ? say('takesSeconds', seconds)
          : say('takesMinutes', Math.ceil(seconds / 60));
  };
  const objectives = ['win', 'points'] as const;
  const advice = h(
    'select',
    {
      'data-key': 'hand objective',
      onchange: () => {
        draft.objective = objectives[advice.selectedIndex];
        showTime();
      },
    },
    objectives.map((objective) =>
      h(
        'option',
        { value: objective, selected: objective === draft.objective },
        say(objective === 'win' ? 'forWin' : 'forPoints'),
      ),
    ),
  );
  showTime();
  return [
    h('h2', {}, say('chooseHands')),
    h('p', {}, say('chooseHandsText', chooser.size)),
    seats,
    target,
    banks,
    h('div', { class: 'option' }, h('label', { class: 'check' }, onWin, ruleName('minimum_on_win'))),
    h('div', { class: 'option' }, h('label', {}, say('labelOf', say('adviceFor')), ' ', advice), time),
    data.house && h('p', { class: 'hint' }, say('rulesWithHands')),
    h(
      'p',
      {},
      button(say('solveHands'), () => void app.chooseHands(draft), {
        class: 'deed',
        'data-key': 'solve hands',
      }),
    ),
  ];
}

/** The name of a rule, as the beginning of a line. */
function ruleName(term: string): string {
  const [name] = houseText(term);
  return `${name[0].toUpperCase()}${name.slice(1)}`;
}

function copyOf({ hands, ...others }: HandChoice): HandChoice {
  return { ...others, hands: hands.map((hand) => hand.map(([name, count]) => [name, count])) };
}

/** The dice of one player: those chosen, and the catalogue to choose from. */
function handView(
  app: App,
  { dice, size }: Chooser,
  draft: HandChoice,
  seat: number,
  player: string,
): HTMLElement {
  const hand = draft.hands[seat];
  const total = hand.reduce((sum, [, count]) => sum + count, 0);
  const change = (changed: HandDice) => app.act(() => void (draft.hands[seat] = changed), false);
  const add = (name: string) => {
    const known = hand.some(([other]) => other === name);
    const more = ([other, count]: HandDice[number]): HandDice[number] => [
      other,
      count + Number(other === name),
    ];
    change(known ? hand.map(more) : [...hand, [name, 1]]);
  };
  const remove = (name: string) =>
    change(
      hand
        .map(([other, count]): HandDice[number] => [other, count - Number(other === name)])
        .filter(([, count]) => count),
    );
  const chosen = hand.map(([name, count]) => {
    const text = count > 1 ? `${count} × ${dieName(name)}` : dieName(name);
    return button(text, () => remove(name), {
      'aria-label': say('scored', text, say('removeDie', dieName(name))),
      'data-key': `drop ${seat} ${name}`,
    });
  });
  const entries = dice.map(([name, weights]) =>
    button(`${dieName(name)} (${weights.join('\u00a0')})`, () => add(name), {
      'data-key': `die ${seat} ${name}`,
      disabled: total >= size,
    }),
  );
  const show = () =>
    entries.forEach((entry, n) => {
      const [name] = dice[n];
      entry.hidden = ![name, dieName(name)].some((words) => asId(words).includes(asId(search.value)));
    });
  const search = h('input', {
    type: 'search',
    'aria-label': say('findDie'),
    placeholder: say('findDie'),
    value: app.dieSearch[seat] ?? '',
    'data-key': `find ${seat}`,
    oninput: () => {
      app.dieSearch[seat] = search.value;
      show();
    },
  });
  show();
  const [fair] = dice.find(([, weights]) => weights.every((weight) => weight === 1))!;
  const catalogue = h(
    'details',
    { open: app.openCatalogues.has(seat), ontoggle: () => toggle(app.openCatalogues, seat, catalogue.open) },
    h('summary', {}, say('chooseDice')),
    total >= size ? h('p', { class: 'hint' }, say('handFull')) : null,
    h('p', { class: 'hint' }, say('weightsAre')),
    h('div', { class: 'row' }, search),
    h('div', { class: 'chips few', lang: 'en' }, entries),
  );
  return h(
    'fieldset',
    {},
    h('legend', {}, say('diceChosen', player, total, size)),
    h('div', { class: 'chips', lang: 'en' }, chosen),
    h(
      'div',
      { class: 'row' },
      button(say('onlyFair', size, fair), () => change([[fair, size]]), { 'data-key': `fair ${seat}` }),
    ),
    catalogue,
  );
}

/** Names that people write in another way than their ids with blanks and a capital letter. */
const DIE_NAMES: Record<string, string> = {
  'devils-head': 'Devil’s head',
  'mother-of-pearl': 'Mother-of-pearl',
  'painter-b': 'Painter B',
  'painter-g': 'Painter G',
  'painter-r': 'Painter R',
  'saint-antiochus': 'Saint Antiochus',
  'st-stephen': 'St Stephen’s',
};

/** Return words as an id has them: small letters and hyphens, without apostrophes. */
function asId(words: string): string {
  return words.trim().toLowerCase().replace(/['’]/g, '').replace(/ +/g, '-');
}

/** Return the name of a die as people write it. */
function dieName(name: string): string {
  return DIE_NAMES[name] ?? capital(name.replace(/-/g, ' '));
}

function toggle(open: Set<number>, seat: number, isOpen: boolean): void {
  if (isOpen) open.add(seat);
  else open.delete(seat);
}
