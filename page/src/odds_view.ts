/** Odds of one's own: fields to enter them, under More. */
import type { App } from './app';
import { button, type Child, h } from './dom';
import { checkOdds, pageOdds, takesOdds } from './own_odds';
import { Refused } from './problem';
import { SIZES } from './touch';
import { refusalText, say, translate } from './words';

/** Return the fields for the odds of one's own; nothing for games without odds. */
export function oddsView(app: App): Child[] {
  const { data, engine } = app.home;
  if (ONLY_RACES || !engine || !takesOdds(data)) return [];
  const { feels } = data.match as unknown as { feels: string[] };
  const odds = (app.oddsDraft ??= structuredClone(app.ownOdds ?? pageOdds(data, engine.arrays)));
  const captionText = (size: number) => {
    const sum = odds[size].reduce((total, [chance]) => total + chance, 0);
    return say('oddsOf', translate(SIZES[size]), Number.isNaN(sum) ? '–' : sum);
  };
  const captions = SIZES.map((_, size) => h('caption', {}, captionText(size)));
  const refusal = h('p', { class: 'said error', role: 'alert', hidden: true });
  // A refusal stands beside the button, since the top of the page may be out of sight.
  const use = async () => {
    try {
      checkOdds(odds);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      refusal.textContent = refusalText(error);
      refusal.hidden = false;
      return;
    }
    if (await app.useOdds(odds, true)) window.scrollTo(0, 0);
  };
  const field = (size: number, feel: number, side: 0 | 1, label: string) => {
    const input = h('input', {
      type: 'number',
      min: 0,
      max: 100,
      step: 1,
      value: odds[size][feel][side],
      'aria-label': say('scored', `${translate(SIZES[size])}, ${translate(feels[feel])}`, label),
      'data-key': `odds ${SIZES[size]} ${feels[feel]} ${side ? 'trips' : 'feels'}`,
      oninput: () => {
        odds[size][feel][side] = input.value.trim() ? Number(input.value) : NaN;
        captions[size].textContent = captionText(size);
      },
    });
    return h('td', {}, input);
  };
  const table = (size: number) =>
    h('table', { class: 'odds' }, [
      captions[size],
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
      button(say('useOdds'), () => void use(), { class: 'deed', 'data-key': 'use odds' }),
    ),
    refusal,
  ];
}
