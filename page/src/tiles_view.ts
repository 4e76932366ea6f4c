/** The board of Shut the Box: tiles that stand, and those that are shut. */
import type { App } from './app';
import { h } from './dom';
import type { Position } from './play';
import type { TilesFacts } from './tiles';
import { say } from './words';

/** Return the names of the tiles that stand; null for games without tiles. */
export function tilesUp(app: App, p: Position): string[] | null {
  const { tiles } = app.data.match as unknown as Partial<TilesFacts>;
  if (app.data.family !== 'tiles' || !tiles) return null;
  const all = Array.from({ length: tiles }, (_, n) => String(n + 1));
  if (p.at === 'over') return all;
  const up = app.answers.table.formatFields(p).find(([name]) => name === 'up');
  return up ? up[1].split(',') : all;
}

/** Return the board: an element for each tile that stands, given in their order, and marks for the others. */
export function tileBoard(app: App, up: string[], standing: HTMLElement[]): HTMLElement {
  const { tiles } = app.data.match as unknown as TilesFacts;
  const items = Array.from({ length: tiles }, (_, n) => {
    const place = up.indexOf(String(n + 1));
    return h('li', {}, place < 0 ? shut(n + 1) : standing[place]);
  });
  return h('ol', { class: 'tiles', 'aria-label': say('tiles') }, items);
}

function shut(tile: number): HTMLElement {
  return h(
    'span',
    { class: 'tile shut' },
    h('span', { 'aria-hidden': 'true' }, String(tile)),
    h('span', { class: 'hidden' }, say('shutTile', tile)),
  );
}

/** Return the board before a roll, on which nothing can be tapped; null for games without tiles. */
export function tilesStanding(app: App, p: Position): HTMLElement | null {
  const up = tilesUp(app, p);
  return (
    up &&
    tileBoard(
      app,
      up,
      up.map((tile) => h('span', { class: 'tile' }, tile)),
    )
  );
}
