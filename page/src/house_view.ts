/** House rules: sliders to change them, and at the top of the page which hold. */
import { type App } from './app';
import { button, type Child, h, replace } from './dom';
import { own, type Values } from './house';
import { grouped } from './numbers';
import { local, say } from './words';

export function houseView(app: App): Child[] {
  const { house } = app.home.data;
  if (!app.engine || !house) return [];
  const wanted = app.rules;
  const rows = house.options.map((option) => {
    const { key } = option;
    const name = key.replace(/_/g, ' ');
    if (option.what === 'choice') {
      const select = h(
        'select',
        { 'data-key': `rule ${key}`, onchange: () => void (wanted[key] = select.value) },
        option.choices.map((one) => h('option', { value: one, selected: one === wanted[key] }, one)),
      );
      const reason = app.home.data.rules.find(([rule]) => rule === key)?.[3];
      return [
        h('label', {}, `${name}: `, select),
        reason ? h('p', { class: 'hint', lang: 'en' }, reason) : null,
      ];
    }
    const { what, low, high, step } = option;
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
      button(say('solveThem'), () => void app.house(wanted), { class: 'deed', 'data-key': 'solve' }),
    ),
  ];
}

/** Show at the top which house rules hold, with the way back. */
export function showChangedRules(app: App): void {
  app.changed.hidden = app.data === app.home.data;
  if (app.changed.hidden) return;
  const usual = own(app.home.data.house!);
  replace(app.changed, [
    h('p', {}, say('changedRules', inWords(differing(app.rules, usual)))),
    app.question ? null : button(say('asShipped'), () => void app.house(usual), { 'data-key': 'shipped' }),
  ]);
}

export type Changes = [key: string, value: Values[string], usual: Values[string]][];

/** Return the rules of `values` that differ from the usual ones. */
export function differing(values: Values, usual: Values): Changes {
  return Object.keys(values)
    .filter((key) => values[key] !== usual[key])
    .map((key) => [key, values[key], usual[key]]);
}

/** Render changed rules: target 10 instead of 5,000. */
export function inWords(changes: Changes): string {
  const word = (value: Values[string]) => {
    if (typeof value === 'string') return value;
    return typeof value === 'number' ? local(grouped(value)) : say(value ? 'yes' : 'no');
  };
  return changes
    .map(([key, value, usual]) => say('insteadOf', key.replace(/_/g, ' '), word(value), word(usual)))
    .join('; ');
}
