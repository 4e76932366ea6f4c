/** House rules: sliders to change them, and at the top of the page which hold. */
import { type App } from './app';
import { type HandChoice, handText, isForAllHands, pageChoice, STOPS } from './chosen_hands';
import type { PageData } from './data';
import { button, type Child, h, replace } from './dom';
import { type House, type Option, pageValues, type Values } from './house';
import { grouped } from './numbers';
import { pageOdds } from './own_odds';
import { phrase } from './refusals';
import { houseText, local, refusalText, say } from './words';

export function houseView(app: App): Child[] {
  const { data } = app.home;
  const { house } = data;
  if (!app.engine) return [];
  const heading = h('h2', {}, say('houseRules'));
  if (!house) {
    if (!data.no_house) return [];
    const reason = refusalText(phrase(data.no_house));
    return [heading, h('p', {}, `${reason[0].toUpperCase()}${reason.slice(1)}.`)];
  }
  const rules = app.rules;
  const row = (label: Child, hint: Child) => h('div', { class: 'option' }, label, hint);
  const rows = house.options.map((option) => {
    const { key, own } = option;
    const [, text] = houseText(option.term);
    const explanation = h(
      'p',
      { class: 'hint' },
      text ?? h('span', { lang: 'en' }, option.reason),
      ` ${say('onThisPage', word(option, own))}`,
    );
    const name = nameOf(option);
    const disabled = WITH_HANDS && app.chosenHands !== undefined && !isForAllHands(option);
    if (option.what === 'choice') {
      const choose = () => void (rules[key] = option.choices[select.selectedIndex]);
      const select = h(
        'select',
        { 'data-key': `rule ${key}`, disabled, onchange: choose },
        option.choices.map((one) =>
          h('option', { value: one, selected: one === rules[key] }, word(option, one)),
        ),
      );
      return row(h('label', {}, say('labelOf', name), ' ', select), explanation);
    }
    const { what, low, high, step } = option;
    if (what === 'minimum_on_win') {
      const box = h('input', {
        type: 'checkbox',
        checked: Boolean(rules[key]),
        onchange: () => void (rules[key] = box.checked),
      });
      return row(h('label', { class: 'check' }, box, name), explanation);
    }
    const least = what === 'points' ? low - step : low;
    const shown = h('output', {}, local(grouped(Number(rules[key]))));
    const slider = h('input', {
      type: 'range',
      min: least,
      max: high,
      step,
      value: Number(rules[key]),
      disabled,
      'data-key': `rule ${key}`,
      oninput: () => {
        const value = Number(slider.value);
        rules[key] = what === 'points' && value === least ? 0 : value;
        shown.textContent = local(grouped(rules[key]));
      },
    });
    return row(h('label', {}, say('labelOf', name), ' ', shown, slider), explanation);
  });
  return [
    heading,
    ...rows,
    h('p', { class: 'hint' }, say('otherRules')),
    WITH_HANDS && data.chooser ? h('p', { class: 'hint' }, say('rulesWithHands')) : null,
    h(
      'p',
      {},
      button(say('solveThem'), () => void app.house(rules), { class: 'deed', 'data-key': 'solve' }),
    ),
  ];
}

/** Show at the top which house rules or hands the page was solved for, with the way back. */
export function showChangedRules(app: App): void {
  app.changed.hidden = app.data === app.home.data;
  if (app.changed.hidden) return;
  const { data } = app.home;
  const back = (act: () => void) => button(say('asShipped'), act, { 'data-key': 'shipped' });
  if (WITH_HANDS && app.chosenHands) {
    const text = choiceInWords(data, app.chosenHands);
    replace(app.changed, [
      h('p', {}, `${text[0].toUpperCase()}${text.slice(1)}.`),
      app.question ? null : back(() => void app.chooseHands(pageChoice(data), true)),
    ]);
    return;
  }
  if (!ONLY_RACES && app.ownOdds) {
    const usualOdds = pageOdds(data, app.home.engine!.arrays);
    replace(app.changed, [
      h('p', {}, say('oddsChanged')),
      app.question ? null : back(() => void app.useOdds(usualOdds, true)),
    ]);
    return;
  }
  const house = data.house!;
  const usual = pageValues(house);
  replace(app.changed, [
    h('p', {}, say('changedRules', inWords(differing(house, app.rules, usual)))),
    app.question ? null : back(() => void app.house(usual)),
  ]);
}

/** Render a choice of hands, what the advice is for, the target, and the rules for banks that are not those of the page. */
export function choiceInWords({ chooser }: PageData, choice: HandChoice): string {
  const { hands, target, objective, stops } = choice;
  const texts = hands.slice(0, objective === 'win' ? hands.length : 1).map(handText);
  const usual = chooser!.race;
  const rules = STOPS.filter((name) => stops![name] !== usual[name]).map((term) =>
    say('insteadOf', houseText(term)[0], word({ term }, stops![term]!), word({ term }, usual[term])),
  );
  const ofHands = say(objective === 'win' ? 'handsAre' : 'handIs', texts.join(' / '), local(grouped(target)));
  return [ofHands, ...rules].join('; ');
}

/** An option with its value, and the usual one. */
export type Changes = [option: Option, value: Values[string], usual: Values[string]][];

/** Return the house rules of `values` that differ from the usual ones. */
export function differing(house: House, values: Values, usual: Values): Changes {
  return house.options
    .filter(({ key }) => values[key] !== usual[key])
    .map((option) => [option, values[option.key], usual[option.key]]);
}

/** Render changed rules: target 10 instead of 5,000. */
export function inWords(changes: Changes): string {
  return changes
    .map(([option, value, usual]) =>
      say('insteadOf', nameOf(option), word(option, value), word(option, usual)),
    )
    .join('; ');
}

/** Return the name of a rule: that of its text, or its key as words. */
function nameOf({ key, term }: Option): string {
  return houseText(term)[0] ?? key.replace(/^.*\./, '').replace(/_/g, ' ');
}

function word({ term }: Pick<Option, 'term'>, value: Values[string]): string {
  if (typeof value === 'string') return houseText(`${term} ${value}`)[0] ?? value;
  return typeof value === 'number' ? local(grouped(value)) : say(value ? 'yes' : 'no');
}
