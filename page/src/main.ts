/** The entry point of the page: it reads the data, creates the engine and starts the app. */
import { App } from './app';
import type { HandChoice } from './chosen_hands';
import { unpack } from './data';
import { adviceJson, beatJson, engine, reviewJson } from './engine';
import { h } from './dom';
import type { Values } from './house';
import { serve } from './race';
import { say } from './words';

declare global {
  interface Window {
    keepwise?: unknown;
  }
}

/** Whether the page is part of a site with a service worker. */
function isInSite(): boolean {
  return document.querySelector('link[rel=manifest]') !== null && location.protocol.startsWith('http');
}

async function begin(): Promise<void> {
  const root = document.getElementById('page')!;
  const { data, arrays } = await unpack(document.getElementById('data')!.textContent!);
  try {
    const pageEngine = typeof WebAssembly === 'object' ? engine(data, arrays) : null;
    const app = new App(root, data, pageEngine);
    window.keepwise = pageEngine && {
      advise: (id: string) => adviceJson(app.engine!, id),
      review: (text: string) => reviewJson(app.engine!, text),
      house: (values: Values) => app.house(values),
      hands: (choice: HandChoice) => app.chooseHands(choice),
      id: () => app.id,
      beat: WITH_CARDS ? (own: string, theirs: string) => beatJson(app.engine!, own, theirs) : undefined,
      ready: performance.now(),
    };
  } catch (error) {
    root.append(h('h1', {}, data.title), h('p', { class: 'error' }, say('failed', String(error))));
    throw error;
  }
}

if (typeof document === 'undefined') {
  serve();
} else {
  void begin();
  if (isInSite() && 'serviceWorker' in navigator) void navigator.serviceWorker.register('service.js');
}
