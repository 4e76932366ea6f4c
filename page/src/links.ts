/** Links to a position, with the house rules that hold there. */
import { type App } from './app';
import { button, type Child, h } from './dom';
import { Game } from './game';
import { pageValues, type Values, fitValues } from './house';
import { differing, inWords } from './house_view';
import { Refused, visible } from './problem';
import { say } from './words';

/** Open the position of a link; ask first if that replaces a game in progress or changes the rules. */
export function fromLink(app: App): void {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const id = parameters.get('id');
  if (!id || app.solving || app.unreadable) return;
  history.replaceState(null, '', location.pathname + location.search);
  app.act(() => {
    app.question = null;
    const rules = linkRules(app, parameters.getAll('rule'));
    const { table } = app.answers;
    if (!rules) {
      const position = table.position(id);
      if (table.same(position, app.game.position)) return app.go('play');
      if (!app.game.begun) return app.begin(new Game(table, app.game.seats, position));
    }
    app.question = () => linkQuestion(app, id, rules);
  });
}

/** Return the house rules of a link, or null if the page already has them. */
export function linkRules(app: App, parameters: string[]): Values | null {
  const { house } = app.home.data;
  const values: Values = {};
  for (const parameter of parameters) {
    const [key, value = ''] = parameter.split('=');
    values[key] = value === 'true' || (value !== 'false' && (/^\d+$/.test(value) ? Number(value) : value));
  }
  const rules = house ? fitValues(house, values) : {};
  const unreadable = parameters.find((parameter) => {
    const [key] = parameter.split('=');
    return rules[key] !== values[key];
  });
  if (unreadable !== undefined) throw new Refused('linkRule', unreadable.slice(0, 60));
  return house && differing(house, rules, app.rules).length ? rules : null;
}

export function linkQuestion(app: App, id: string, rules: Values | null): Child[] {
  const { house } = app.home.data;
  const changes = house && rules ? differing(house, rules, pageValues(house)) : [];
  const newRules = changes.length ? say('linkRules', inWords(changes)) : say('linkOwnRules');
  return [
    app.head(say('openLink')),
    h('p', {}, h('code', {}, visible(id))),
    rules ? h('p', {}, newRules) : null,
    app.game.begun ? h('p', {}, say(rules ? 'linkOtherGame' : 'linkGame')) : null,
    h('p', { class: 'row' }, [
      button(say('openIt'), () => void follow(app, id, rules), { class: 'deed', 'data-key': 'open link' }),
      button(say('stay'), () => app.act(() => void (app.question = null)), { 'data-key': 'stay' }),
    ]),
  ];
}

export async function follow(app: App, id: string, rules: Values | null): Promise<void> {
  app.question = null;
  if (rules && !(await app.house(rules))) return;
  app.act(() => app.begin(new Game(app.answers.table, app.game.seats, app.answers.table.position(id))));
}

export async function link(app: App): Promise<void> {
  const moved = app.data === app.home.data ? [] : Object.entries(app.rules);
  const rules = moved.map(([key, value]) => `&rule=${encodeURIComponent(`${key}=${value}`)}`).join('');
  const url = `${location.href.split('#')[0]}#id=${encodeURIComponent(app.id)}${rules}`;
  let copied = true;
  try {
    await navigator.clipboard.writeText(url);
  } catch {
    copied = false;
  }
  app.act(() => void (app.message = copied ? say('copied') : `${say('copy')} ${url}`), false);
}
