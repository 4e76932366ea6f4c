/** The view that sets up a position: by the fields of the game, or by the id of a position. */
import { type Child, button, h } from './dom';
import type { Act } from './choices';
import { largest } from './numbers';
import { Refused } from './problem';
import { formatId, type Position, rollIndex, type Table } from './play';
import { SIZES } from './board_view';
import { boxText, choiceText, fieldText, say, translate } from './words';

const RARE = ['seat', 'playoff']; // fields that rarely differ from their defaults

export function setup(
  table: Table,
  position: Position,
  open: (p: Position) => void,
  refuse: (error: Refused) => void,
): Child[] {
  const fieldTexts = new Map(table.problem.formatFields(position.b));
  const isTiles = table.data.family === 'tiles';
  const tiles = isTiles ? table.data.fields.find((field) => field[3] && field[1] === 'NAMES') : undefined;
  const fields = table.data.fields.filter((field) => !field[3] && field[0] !== 'turns_left');
  const inputs = new Map<string, () => string>();
  const controls = fields.map(([name, kind, help, , words]) => {
    const value = fieldTexts.get(name) ?? '';
    const label = fieldText(name, table.data.players) || help;
    if (kind === 'NAMES') return checkboxes(name, label, words, value.split(','), inputs);
    if (kind === 'SCORES' || kind === 'NUMBERS') {
      const numbers = value ? value.split(',') : [];
      const count = numbers.length || (name === 'left' ? 3 : table.data.players - 1);
      const sizes = name === 'left' ? SIZES.map(translate) : undefined;
      const steppers = Array.from({ length: name === 'playoff' ? 1 : count }, (_, n) =>
        stepper(
          table,
          sizes?.[n] ?? (count > 1 ? `${label} ${n + 1}` : label),
          name === 'playoff' ? value : (numbers[n] ?? '0'),
          kind === 'SCORES',
        ),
      );
      inputs.set(name, () => steppers.map((control) => control.value()).join(','));
      return h(
        'fieldset',
        {},
        h('legend', {}, label),
        steppers.map(({ element }, n) => (sizes ? [h('p', { class: 'hint' }, sizes[n]), element] : element)),
      );
    }
    const control = stepper(table, label, value || '', kind === 'POINTS');
    inputs.set(name, control.value);
    return h('fieldset', {}, h('legend', {}, label), control.element);
  });
  const isRare = (n: number) => RARE.includes(fields[n][0]);
  const parts = controls.filter((_, n) => !isRare(n));
  const rareControls = controls.filter((_, n) => isRare(n));
  const tileInputs = new Map<string, () => string>();
  if (tiles) {
    const [name, , help, , words] = tiles;
    const up = table.formatFields(position).find(([key]) => key === name);
    parts.push(
      checkboxes(
        name,
        fieldText(name, table.data.players) || help,
        words,
        up ? up[1].split(',') : words,
        tileInputs,
      ),
    );
  }
  const rolls = tiles ? [] : distinctRolls(table, table.setupRolls(position));
  const hasTurnPoints = rolls.length > 0 && table.data.fields.some(([name]) => name === 'turn');
  const points = stepper(
    table,
    say('pointsInHand'),
    position.isTurnStart ? '0' : String(position.points),
    false,
    table.problem.step ?? 1,
  );
  const modeSelect = h(
    'select',
    { 'aria-label': say('toThrow') },
    h('option', { value: '' }, say('turnBegins')),
    rolls.map(({ label }, n) => h('option', { value: n }, label)),
  );
  const id = h('input', {
    type: 'text',
    'aria-label': say('idOf'),
    autocapitalize: 'off',
    spellcheck: 'false',
  });
  const apply = () => {
    try {
      const values = new Map(
        [...inputs].map(([name, read]) => [name, read()]).filter(([, value]) => value !== '') as [
          string,
          string,
        ][],
      );
      if (tiles) return open(withTiles(table, values, tiles[0], tileInputs.get(tiles[0])!(), tiles[4]));
      const b = table.problem.parseFields(values);
      open(
        modeSelect.value === ''
          ? table.begin(b)
          : table.beforeRoll(b, rolls[Number(modeSelect.value)].n, points.value()),
      );
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      refuse(error);
    }
  };
  const applyId = () => {
    try {
      open(table.position(id.value.trim().replace(/^id /, '')));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      refuse(error);
    }
  };
  return [
    parts,
    rolls.length ? h('fieldset', {}, h('legend', {}, say('toThrow')), modeSelect) : null,
    hasTurnPoints ? h('fieldset', {}, h('legend', {}, say('pointsInHand')), points.element) : null,
    rareControls.length ? h('details', {}, h('summary', {}, say('rareFields')), rareControls) : null,
    h('p', {}, button(say('apply'), apply, { class: 'deed' })),
    h('p', {}, say('idOf')),
    h('div', { class: 'row' }, id, button(say('apply'), applyId)),
  ];
}

/** Return the rolls that words can tell apart; if several have the same words, with the roll of the turn and the dice kept. */
function distinctRolls(table: Table, rolls: { n: number; act: Act }[]): { n: number; label: string }[] {
  const unique = <T extends { label: string }>({ label }: T, _: number, all: T[]) =>
    all.filter((other) => other.label === label).length === 1;
  return rolls
    .map(({ n, act }) => ({ n, label: choiceText(act) }))
    .map((roll, index, all) =>
      unique(roll, index, all)
        ? roll
        : { ...roll, label: [roll.label, ...turnDetails(table, roll.n)].join(' · ') },
    )
    .filter(unique);
}

/** Return which roll of the turn this is, and which dice were kept before it. */
function turnDetails({ data: { graph } }: Table, n: number): string[] {
  const fields = graph.forms[graph.throws[n].form];
  const kept = fields.find(([name]) => name === 'kept')?.[1].replace(/,/g, '');
  return [
    say('rollOf', rollIndex(fields), largest(graph.forms.map(rollIndex))),
    ...(kept ? [`${say('keptBefore')} ${[...kept].join(' ')}`] : []),
  ];
}

/** Return the position before a roll with these tiles up. */
function withTiles(
  table: Table,
  values: Map<string, string>,
  name: string,
  up: string,
  names: string[],
): Position {
  const turnFields: [string, string][] = up === names.join(',') ? [] : [[name, up]];
  return table.position(formatId(table.data, [...values, ...turnFields]));
}

interface Stepper {
  element: HTMLElement;
  value(): string;
}

function stepper(table: Table, title: string, value: string, scores: boolean, stepSize = 1): Stepper {
  const scoreList = scores ? table.problem.possibleScores : undefined;
  const field = h('input', { type: 'text', inputmode: 'numeric', value, 'aria-label': title });
  const step = (sign: number) => {
    const number = Number(field.value.replace(/,/g, '')) || 0;
    const next = scoreList
      ? sign > 0
        ? scoreList.find((score) => score > number)
        : [...scoreList].reverse().find((score) => score < number)
      : number + sign * stepSize;
    if (next !== undefined) field.value = String(next);
  };
  const element = h(
    'div',
    { class: 'row' },
    button('−', () => step(-1), { 'aria-label': say('less', title) }),
    field,
    button('+', () => step(1), { 'aria-label': say('moreOf', title) }),
  );
  return { element, value: () => field.value.trim().replace(/,(?=\d{3}\b)/g, '') };
}

function checkboxes(
  name: string,
  title: string,
  words: string[],
  used: string[],
  inputs: Map<string, () => string>,
): HTMLElement {
  const plain = new Set(used.map((entry) => entry.split('=')[0]));
  const boxes = words.map((word) =>
    h('input', { type: 'checkbox', checked: plain.has(word.replace(/ /g, '_')) }),
  );
  inputs.set(name, () =>
    words
      .filter((_, n) => boxes[n].checked)
      .map((word) => word.replace(/ /g, '_'))
      .join(','),
  );
  return h(
    'fieldset',
    {},
    h('legend', {}, title),
    words.map((word, n) => h('label', { class: 'check' }, boxes[n], boxText(word))),
  );
}
