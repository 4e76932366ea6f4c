/** What tests without a browser take. */
export { inflate } from './inflate';
export { unpack } from './data';
export { asJson, engine, reviewJson } from './engine';
