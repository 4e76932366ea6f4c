/** What the unit of a cost means, where costs are parts of a chance. */
import { h } from './dom';
import { isProbability } from './numbers';
import { say } from './words';

/** Explain the unit of a cost; null if costs are not probabilities. */
export function pointsOfChance(objective: string): HTMLElement | null {
  return isProbability(objective) ? h('p', { class: 'hint' }, unitText(objective)) : null;
}

/** Return the unit of a cost in words; "" if costs are not probabilities. */
export function unitText(objective: string): string {
  return isProbability(objective) ? say(objective === 'win' ? 'unit' : 'unitReach') : '';
}
