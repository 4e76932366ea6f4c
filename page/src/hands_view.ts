/** The choice of the hands of both players from the catalogue. */
import { type App } from './app';
import { type Chooser, estimateSeconds, type HandChoice, type HandDice, pageChoice } from './chosen_hands';
import { button, type Child, h } from './dom';
import { say } from './words';

export function handsView(app: App): Child[] {
  const { data } = app.home;
  const { chooser } = data;
  if (!app.engine || !chooser) return [];
  const draft = (app.handDraft ??= copyOf(app.chosenHands ?? pageChoice(data)));
  const names = app.usualSeats('table').map(({ name }) => name);
  const seats = draft.hands.map((_, seat) =>
    handView(app, chooser, draft, seat, names[seat] ?? say('opponent')),
  );
  const target = h('input', {
    type: 'text',
    inputmode: 'numeric',
    value: draft.target,
    'aria-label': say('targetIs'),
    'data-key': 'hand target',
    oninput: () => {
      draft.target = Number(target.value.replace(/[,.\s]/g, ''));
      showTime();
    },
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
    h('div', { class: 'option' }, h('label', {}, `${say('targetIs')}: `, target)),
    h('div', { class: 'option' }, h('label', {}, `${say('adviceFor')}: `, advice), time),
    data.house && h('p', { class: 'hint' }, say('handsDropRules')),
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

function copyOf({ hands, target, objective }: HandChoice): HandChoice {
  return { hands: hands.map((hand) => hand.map(([name, count]) => [name, count])), target, objective };
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
    const text = count > 1 ? `${count} × ${name}` : name;
    return button(text, () => remove(name), {
      'aria-label': `${text}: ${say('removeDie', name)}`,
      'data-key': `drop ${seat} ${name}`,
    });
  });
  const entries = dice.map(([name, weights]) =>
    button(`${name} (${weights.join(' ')})`, () => add(name), {
      'data-key': `die ${seat} ${name}`,
      disabled: total >= size,
    }),
  );
  const show = () =>
    entries.forEach((entry, n) => {
      entry.hidden = !dice[n][0].includes(
        search.value.trim().toLowerCase().replace(/['’]/g, '').replace(/ +/g, '-'),
      );
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
    h('div', { class: 'row' }, search),
    h('div', { class: 'chips', lang: 'en' }, entries),
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

function toggle(open: Set<number>, seat: number, isOpen: boolean): void {
  if (isOpen) open.add(seat);
  else open.delete(seat);
}
