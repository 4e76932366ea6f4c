/** What tests without a browser take. */
export { unpack } from './data';
export { asJson, engine, reviewJson } from './engine';
