/** Links to a position, with the house rules that hold there. */
import { type App } from './app';
import {
  checkChoice,
  type Chooser,
  type HandChoice,
  handText,
  isSameHandChoice,
  pageChoice,
  parseHand,
  STOPS,
  type StopRules,
} from './chosen_hands';
import { button, type Child, h } from './dom';
import { Game } from './game';
import { pageValues, type Values, fitValues } from './house';
import { choiceInWords, differing, inWords } from './house_view';
import { isSameOdds, oddsText, type OwnOdds, pageOdds, parseOdds, takesOdds } from './own_odds';
import { Refused, visible } from './problem';
import { say } from './words';

/** What a link changes: the house rules, or the hands of the players; null if nothing. */
type Change = { rules: Values } | { hands: HandChoice } | { odds: OwnOdds } | null;

/** Open the position of a link; ask first if that replaces a game in progress or changes what the page was solved for. */
export function fromLink(app: App): void {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const id = parameters.get('id');
  if (!id || app.solving || app.unreadable) return;
  history.replaceState(null, '', location.pathname + location.search);
  app.act(() => {
    app.question = null;
    const change = linkChange(app, parameters);
    const { table } = app.answers;
    if (!change) {
      const position = table.position(id);
      if (table.same(position, app.game.position)) return app.go('play');
      if (!app.game.begun) return app.begin(new Game(table, app.game.seats, position));
    }
    app.question = () => linkQuestion(app, id, change);
  });
}

function linkChange(app: App, parameters: URLSearchParams): Change {
  const { data, engine } = app.home;
  if (!ONLY_RACES && takesOdds(data)) {
    const own = pageOdds(data, engine!.arrays);
    const text = parameters.get('odds');
    const odds = text === null ? own : parseOdds(data, text);
    return isSameOdds(odds, app.ownOdds ?? own) ? null : { odds };
  }
  const texts = parameters.get('hands');
  const rules = parameters.getAll('rule');
  if (texts !== null && !data.chooser) throw new Refused('linkRule', 'hands');
  if (WITH_HANDS && (texts !== null || (app.chosenHands && !rules.length))) {
    const usual = pageChoice(data);
    const hands =
      texts === null
        ? usual
        : checkChoice(data, {
            hands: texts.split('/').map(parseHand),
            target: Number(parameters.get('target')),
            objective: parameters.get('for') === 'points' ? 'points' : 'win',
            stops: linkStops(data.chooser!, rules),
          });
    return isSameHandChoice(hands, app.chosenHands ?? usual) ? null : { hands };
  }
  const values = linkRules(app, rules);
  return values && { rules: values };
}

/** Return the rules for banks of a link with hands. */
function linkStops({ keys }: Chooser, parameters: string[]): Partial<StopRules> {
  const stops = parameters.map((parameter) => {
    const [key, value = ''] = parameter.split('=');
    const name = STOPS.find((one) => keys[one] === key);
    if (name === undefined) throw new Refused('linkRule', parameter.slice(0, 60));
    return [name, ruleValue(value)];
  });
  return Object.fromEntries(stops) as Partial<StopRules>;
}

/** Read the value of a rule. */
function ruleValue(text: string): Values[string] {
  return text === 'true' || (text !== 'false' && (/^\d+$/.test(text) ? Number(text) : text));
}

/** Return the house rules of a link, or null if the page already has them. */
function linkRules(app: App, parameters: string[]): Values | null {
  const { house } = app.home.data;
  const values: Values = {};
  for (const parameter of parameters) {
    const [key, value = ''] = parameter.split('=');
    values[key] = ruleValue(value);
  }
  const rules = house ? fitValues(house, values) : {};
  const unreadable = parameters.find((parameter) => {
    const [key] = parameter.split('=');
    return rules[key] !== values[key];
  });
  if (unreadable !== undefined) throw new Refused('linkRule', unreadable.slice(0, 60));
  return house && (app.chosenHands || differing(house, rules, app.rules).length) ? rules : null;
}

/** Describe what a link changes, if it is not the way back to the page's own rules and hands; "" if it is. */
function changeInWords(app: App, change: NonNullable<Change>): string {
  const { data } = app.home;
  if ('hands' in change) {
    const isOwn = !WITH_HANDS || isSameHandChoice(change.hands, pageChoice(data));
    return isOwn ? '' : choiceInWords(data, change.hands);
  }
  if ('odds' in change)
    return isSameOdds(change.odds, pageOdds(data, app.home.engine!.arrays)) ? '' : say('otherOdds');
  return inWords(differing(data.house!, change.rules, pageValues(data.house!)));
}

function linkQuestion(app: App, id: string, change: Change): Child[] {
  const changes = change && changeInWords(app, change);
  const newRules = changes ? say('linkRules', changes) : say('linkOwnRules');
  return [
    app.head(say('openLink')),
    h('p', {}, h('code', {}, visible(id))),
    change ? h('p', {}, newRules) : null,
    app.game.begun ? h('p', {}, say(change ? 'linkOtherGame' : 'linkGame')) : null,
    h('p', { class: 'row' }, [
      button(say('openIt'), () => void follow(app, id, change), { class: 'deed', 'data-key': 'open link' }),
      button(say('stay'), () => app.act(() => void (app.question = null)), { 'data-key': 'stay' }),
    ]),
  ];
}

async function follow(app: App, id: string, change: Change): Promise<void> {
  app.question = null;
  const solve = () => {
    if (!change) return true;
    if ('odds' in change) return app.useOdds(change.odds, false);
    return 'hands' in change ? app.chooseHands(change.hands, true) : app.house(change.rules, false);
  };
  if (change && !(await solve())) return;
  app.act(() => app.begin(new Game(app.answers.table, app.game.seats, app.answers.table.position(id))));
}

/** The part of a link that says for which house rules or hands the page was solved. */
function linkSuffix(app: App): string {
  if (app.data === app.home.data) return '';
  if (app.ownOdds) return `&odds=${encodeURIComponent(oddsText(app.ownOdds))}`;
  const parameters: [string, string][] = Object.entries(app.chosenHands ? {} : app.rules).map(
    ([key, value]) => ['rule', `${key}=${value}`],
  );
  if (WITH_HANDS && app.chosenHands) {
    const { hands, target, objective, stops } = app.chosenHands;
    const { keys, race } = app.home.data.chooser!;
    parameters.push(['hands', hands.map(handText).join('/')], ['target', String(target)], ['for', objective]);
    for (const name of STOPS)
      if (stops![name] !== race[name]) parameters.push(['rule', `${keys[name]}=${stops![name]}`]);
  }
  return parameters.map(([key, value]) => `&${key}=${encodeURIComponent(value)}`).join('');
}

export async function link(app: App): Promise<void> {
  const url = `${location.href.split('#')[0]}#id=${encodeURIComponent(app.id)}${linkSuffix(app)}`;
  let copied = true;
  try {
    await navigator.clipboard.writeText(url);
  } catch {
    copied = false;
  }
  app.act(() => void (app.message = copied ? say('copied') : `${say('copy')} ${url}`), false);
}
