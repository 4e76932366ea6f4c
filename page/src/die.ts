/** Drawings of dice: pips for one to six, else the number or the name of the face. */
import type { PageData } from './data';
import { h, svg } from './dom';

const SIZE = 48;
const PIP = 4.6; // radius
const NEAR = 13; // distance from the edge to the nearest pips
/** Columns and rows of the pips of a face, in thirds of the die. */
const PIPS: Record<string, [number, number][]> = {
  1: [[1, 1]],
  2: [
    [0, 2],
    [2, 0],
  ],
  3: [
    [0, 2],
    [1, 1],
    [2, 0],
  ],
  4: [
    [0, 0],
    [0, 2],
    [2, 0],
    [2, 2],
  ],
  5: [
    [0, 0],
    [0, 2],
    [1, 1],
    [2, 0],
    [2, 2],
  ],
  6: [
    [0, 0],
    [0, 1],
    [0, 2],
    [2, 0],
    [2, 1],
    [2, 2],
  ],
};
const LONG = 3; // from this number of characters on, the name of a face is small

/** Return the displayed name of a face; a face that stands for several ordinary faces lists them. */
export function faceLabel(data: PageData, face: string): string {
  const { same = {} } = data.match as { same?: Record<string, string> };
  const faces = Object.keys(same).filter((ordinaryFace) => same[ordinaryFace] === face);
  return faces.length ? faces.join('/') : face;
}

/** Return the drawing of a face, hidden from screen readers; the elements around it name the face. */
export function dieFace(face: string): Element {
  const pips = PIPS[face];
  const coordinate = (third: number) => NEAR + (third * (SIZE - 2 * NEAR)) / 2;
  if (pips)
    return svg(
      'svg',
      { viewBox: `0 0 ${SIZE} ${SIZE}`, class: 'pips', 'aria-hidden': 'true' },
      pips.map(([column, row]) => svg('circle', { cx: coordinate(column), cy: coordinate(row), r: PIP })),
    );
  return h('span', { class: face.length < LONG ? 'face' : 'face long', 'aria-hidden': 'true' }, face);
}

/** Return a die that cannot be tapped. */
export function fixedDie(face: string, more = ''): HTMLElement {
  return h('span', { class: `die lies ${more}`.trim() }, dieFace(face), h('span', { class: 'hidden' }, face));
}
