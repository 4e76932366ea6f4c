/** Odds of one's own: fields to enter them, under More. */
import type { App } from './app';
import { button, type Child, h } from './dom';
import { pageOdds, takesOdds } from './own_odds';
import { SIZES } from './touch';
import { say, translate } from './words';

/** Return the fields for the odds of one's own; nothing for games without odds. */
export function oddsView(app: App): Child[] {
  const { data, engine } = app.home;
  if (ONLY_RACES || !engine || !takesOdds(data)) return [];
  const { feels } = data.match as unknown as { feels: string[] };
  const odds = (app.oddsDraft ??= structuredClone(app.ownOdds ?? pageOdds(data, engine.arrays)));
  const field = (size: number, feel: number, side: 0 | 1, label: string) => {
    const input = h('input', {
      type: 'number',
      min: 0,
      max: 100,
      step: 1,
      value: odds[size][feel][side],
      'aria-label': `${translate(SIZES[size])}, ${translate(feels[feel])}: ${label}`,
      'data-key': `odds ${SIZES[size]} ${feels[feel]} ${side ? 'trips' : 'feels'}`,
      oninput: () => void (odds[size][feel][side] = input.value.trim() ? Number(input.value) : NaN),
    });
    return h('td', {}, input);
  };
  const table = (size: number) =>
    h('table', { class: 'odds' }, [
      h('caption', {}, translate(SIZES[size])),
      h('tr', {}, [
        h('th', {}, say('oddsFeel')),
        h('th', {}, say('oddsShare')),
        h('th', {}, say('oddsTrip')),
      ]),
      feels.map((name, feel) =>
        h('tr', {}, [
          h('th', { scope: 'row' }, translate(name)),
          field(size, feel, 0, say('oddsShare')),
          field(size, feel, 1, say('oddsTrip')),
        ]),
      ),
    ]);
  return [
    h('h2', {}, say('ownOdds')),
    h('p', {}, say('ownOddsHow')),
    SIZES.map((_, size) => table(size)),
    h(
      'p',
      {},
      button(say('useOdds'), () => void app.useOdds(odds), { class: 'deed', 'data-key': 'use odds' }),
    ),
  ];
}
