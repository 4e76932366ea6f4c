/** Elements from plain data. Text is text: nothing here reads HTML. */

/** Content of an element; arrays may be nested. Long lists are passed as arrays: a call cannot take that many arguments. */
export type Child = Node | string | null | false | undefined | readonly Child[];
type Value = string | number | boolean | ((event: Event) => void) | undefined;

const SVG = 'http://www.w3.org/2000/svg';

function fill(element: Element, attributes: Record<string, Value>, children: readonly Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  append(element, children);
}

function append(element: Element, children: readonly Child[]): void {
  for (const child of flatten(children)) element.append(child);
}

/** Return the nodes and texts of nested arrays in order. */
export function flatten(children: readonly Child[]): (Node | string)[] {
  return children.flatMap((child) => {
    if (!child) return [];
    return typeof child === 'string' || child instanceof Node ? [child] : flatten(child);
  });
}

/** Replace the content of an element. */
export function replace(element: Element, children: readonly Child[]): void {
  element.replaceChildren();
  append(element, children);
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, Value> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

export function svg(tag: string, attributes: Record<string, Value> = {}, ...children: Child[]): Element {
  const element = document.createElementNS(SVG, tag);
  fill(element, attributes, children);
  return element;
}

export function button(
  words: string,
  act: () => void,
  attributes: Record<string, Value> = {},
): HTMLButtonElement {
  return h('button', { type: 'button', onclick: act, ...attributes }, words);
}

/** Return numbers of a choice with dots between them; a dot at the beginning of a line is not visible. */
export function numberList(parts: string[]): HTMLElement {
  const items = parts
    .filter(Boolean)
    .map((words, n) => h('span', {}, n ? h('span', { class: 'dot' }, '\u00a0· ') : null, words));
  return h('span', { class: 'numbers listed' }, items);
}

/** Whether the screen has room for two columns, as in page.css. */
export function wideScreen(): MediaQueryList {
  return matchMedia('screen and (min-width: 60rem)');
}
