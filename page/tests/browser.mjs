// Does tasks in a real browser of the system and writes what came of them: node browser.mjs TASKS.json RESULTS.json
import fs from 'node:fs';
import { createRequire } from 'node:module';
import puppeteer from 'puppeteer-core';

const { browser: name, binary, profile, tasks } = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));
const PHONE = { width: 390, height: 844, deviceScaleFactor: 1 };
const ALONE = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

function launch() {
  const common = { executablePath: binary, headless: true, userDataDir: profile, protocolTimeout: 600_000 };
  return name === 'firefox'
    ? puppeteer.launch({ ...common, browser: 'firefox' })
    : puppeteer.launch({ ...common, args: ALONE });
}

let browser = await launch();

/** Waits as long as it takes, but not for a page that failed. */
async function begun(page, errors, known = 0) {
  while (!(await page.evaluate(() => window.keepwise !== undefined))) {
    if (errors.length > known) throw new Error(`the page did not begin: ${errors.slice(known).join('; ')}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Scroll to an element and wait until nothing covers its middle: the bar of views lies over the end of the page. */
async function uncovered(page, where) {
  const isOnTop = (selector) => {
    const one = document.querySelector(selector);
    one.scrollIntoView({ block: 'center' });
    const { x, y, width, height } = one.getBoundingClientRect();
    return one.contains(document.elementFromPoint(x + width / 2, y + height / 2));
  };
  await page.waitForFunction(isOnTop, { timeout: 20_000 }, where);
}

async function open(file, more = {}, errors = []) {
  const page = await browser.newPage();
  const asked = [];
  const known = errors.length; // of pages before
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('request', (request) => asked.push(request.url()));
  await page.setViewport({ ...PHONE, ...more.viewport });
  if (more.scheme) await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: more.scheme }]);
  if (more.offline) await page.setOfflineMode(true);
  if (more.slow) await page.emulateCPUThrottling(more.slow);
  if (more.without)
    await page.evaluateOnNewDocument((name) => {
      window.attempts = 0; // how often the page asked for what is missing
      const missing = () => {
        window.attempts++;
        throw new Error(`${name} is forbidden`);
      };
      Object.defineProperty(window, name, name === 'WebAssembly' ? { value: undefined } : { get: missing });
    }, more.without);
  await page.goto(file);
  if (!more.bare) await begun(page, errors, known);
  return { page, errors, asked };
}

const WORK = {
  /** Answers of the page about positions, in parts that a browser answers in reasonable time; under house rules or with hands. */
  async positions({ file, ids, house, hands }) {
    const { page, errors, asked } = await open(file);
    if (house) await page.evaluate((values) => window.keepwise.house(values), house);
    if (hands) await page.evaluate((choice) => window.keepwise.hands(choice), hands);
    const found = [];
    for (let first = 0; first < ids.length; first += 200)
      found.push(
        ...(await page.evaluate(
          (some) =>
            some.map((id) => {
              try {
                return window.keepwise.advise(id);
              } catch (error) {
                return { error: String(error) };
              }
            }),
          ids.slice(first, first + 200),
        )),
      );
    await page.close();
    return { found, errors, asked };
  },

  async reviews({ file, texts }) {
    const { page, errors } = await open(file);
    const found = await page.evaluate(
      (some) =>
        some.map((text) => {
          try {
            return window.keepwise.review(text);
          } catch (error) {
            return { error: String(error.message ?? error) };
          }
        }),
      texts,
    );
    await page.close();
    return { found, errors };
  },

  /** Steps as a person makes them: [what, on which, with what]. The browser itself may be closed and begun again. */
  async steps({ file, steps, viewport, scheme, slow, without, bare }) {
    const more = {
      offline: name !== 'firefox' && file.startsWith('file:'),
      viewport,
      scheme,
      slow,
      without,
      bare,
    };
    let { page, errors, asked } = await open(file, more);
    const told = [];
    const saw = {
      tap: (where) => page.locator(where).setTimeout(20_000).click(),
      /** Touches with a finger, not the mouse. */
      touch: async (where) => {
        await uncovered(page, where);
        await page.tap(where);
      },
      /** Touches the first of some places that is there, until none is. */
      touches: async (...places) => {
        for (let count = 0; count < 1000; count++) {
          const found = await page.evaluate((some) => some.find((where) => document.querySelector(where)), places);
          if (!found) return told.push(count);
          await saw.touch(found);
        }
      },
      key: (key) => page.keyboard.press(key),
      type: (words) => page.keyboard.type(words),
      upload: async (where, path) => (await page.$(where)).uploadFile(path),
      select: (where, value) => page.select(where, value),
      text: async (where) => told.push(await page.$eval(where, (one) => one.textContent)),
      texts: async (where) =>
        told.push(await page.$$eval(where, (some) => some.map((one) => one.textContent))),
      id: async () => told.push(await page.evaluate(() => window.keepwise.id())),
      run: async (code) => told.push(await page.evaluate(code)),
      wait: (words) =>
        page.waitForFunction((some) => document.body.textContent.includes(some), { timeout: 20_000 }, words),
      focus: async () => told.push(await page.evaluate(() => document.activeElement?.textContent ?? '')),
      shot: async (path) => page.screenshot({ path }),
      again: async () => {
        await page.close();
        await new Promise((done) => setTimeout(done, 1500)); // Chromium writes what a closed page stored behind its back
        await browser.close();
        browser = await launch();
        ({ page } = await open(file, more, errors));
      },
      fresh: async () => {
        await page.evaluate(() => localStorage.clear());
        await page.reload();
        await begun(page, errors);
      },
      sideways: async () =>
        told.push(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)),
      small: async () =>
        told.push(
          await page.evaluate(() =>
            [...document.querySelectorAll('button, input, select, .file, summary')]
              .filter(
                (one) => one.offsetParent && !one.classList.contains('hidden') && one.type !== 'checkbox',
              )
              .filter(
                (one) => one.getBoundingClientRect().width < 44 || one.getBoundingClientRect().height < 44,
              )
              .map((one) => one.outerHTML.slice(0, 80)),
          ),
        ),
      axe: async () => {
        const source = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
        await page.evaluate(source);
        told.push(
          await page.evaluate(async () => {
            const only = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
            const { violations } = await window.axe.run(document, { runOnly: only });
            return violations.map((one) =>
              `${one.id}: ${one.nodes.map((node) => node.html).join(' | ')}`.slice(0, 600),
            );
          }),
        );
      },
    };
    for (const [what, ...rest] of steps) {
      try {
        await saw[what](...rest);
      } catch (error) {
        const text = await page.evaluate(() => document.body.innerText).catch(() => '');
        throw new Error(`${what} ${rest.join(' ')}: ${error.message}\n${text.slice(0, 1500)}`);
      }
    }
    await page.close();
    return { told, errors, asked };
  },

  /** Milliseconds from opening a page until it is ready, and from the tap on the last die until advice is drawn; slowed down. */
  async speed({ file, dice, slow }) {
    const { page } = await open('about:blank', { slow, bare: true });
    await page.goto(file);
    await page.waitForFunction(() => window.keepwise !== undefined, { polling: 5 });
    const advice = await page.evaluate(async (faces) => {
      let begun = 0;
      for (const face of faces) {
        begun = performance.now();
        document.querySelector(`[data-key="face ${face}"]`).click();
      }
      await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
      if (faces.length && !document.querySelector('.choices')) throw new Error('there is no advice');
      return performance.now() - begun;
    }, dice);
    const ready = await page.evaluate(() => {
      localStorage.clear(); // so that the next opening begins a new game
      return window.keepwise.ready;
    });
    await page.close();
    return { ready, advice };
  },
};

const results = [];
try {
  for (const task of tasks) results.push(await WORK[task.what](task));
} finally {
  await browser.close();
}
fs.writeFileSync(process.argv[3], JSON.stringify(results));
