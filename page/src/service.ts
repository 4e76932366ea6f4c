/**
 * The service worker of the site. It caches the listed files at the first visit, and the others when they are opened,
 * and serves them from the cache.
 */
export {};

interface Waiting extends Event {
  waitUntil(done: Promise<unknown>): void;
}
interface Fetching extends Waiting {
  request: Request;
  respondWith(answer: Promise<Response>): void;
}

const worker = self as unknown as {
  addEventListener(type: 'install' | 'activate', act: (event: Waiting) => void): void;
  addEventListener(type: 'fetch', act: (event: Fetching) => void): void;
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
  FILES: string[];
  VERSION: string;
};

worker.addEventListener('install', (event) => {
  const stored = caches.open(worker.VERSION).then((cache) => cache.addAll(worker.FILES));
  event.waitUntil(stored.then(() => worker.skipWaiting()));
});

worker.addEventListener('activate', (event) => {
  const deleted = caches
    .keys()
    .then((names) =>
      Promise.all(
        names
          .filter((name) => name.startsWith('keepwise ') && name !== worker.VERSION)
          .map((name) => caches.delete(name)),
      ),
    );
  event.waitUntil(deleted.then(() => worker.clients.claim()));
});

worker.addEventListener('fetch', (event) => {
  if (event.request.method !== 'GET') return;
  event.respondWith(
    caches
      .match(event.request, { ignoreSearch: true })
      .then((cached) => cached ?? fetchAndStore(event.request)),
  );
});

async function fetchAndStore(request: Request): Promise<Response> {
  const response = await fetch(request);
  if (response.ok) {
    const copy = response.clone();
    const stored = caches.open(worker.VERSION).then((cache) => cache.put(request, copy));
    await stored.catch(() => undefined); // without room for a copy, the page still opens
  }
  return response;
}
