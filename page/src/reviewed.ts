/** The program of a page of reviewed games: steps through decisions, shows some of them only, and asks them again. */

const find = <T extends Element = HTMLElement>(where: string) => document.querySelector<T>(where)!;
const all = <T extends Element = HTMLElement>(where: string, of: ParentNode = document) => [
  ...of.querySelectorAll<T>(where),
];

const [seat, cost, again] = [
  find<HTMLSelectElement>('#seat'),
  find<HTMLSelectElement>('#cost'),
  find<HTMLInputElement>('#again'),
];
const decisions = all('.decision');
let current: HTMLElement | undefined;
let tally: [string, boolean][] = []; // what was decided again, and whether it costs nothing

const asked = (one: HTMLElement) =>
  (!seat.value || one.dataset.seat === seat.value) && Number(one.dataset.cost) >= Number(cost.value);

/** Shows what is asked for; of what is decided again one decision at a time, since the rest would tell. */
function show(): void {
  const listed = decisions.filter(asked);
  const everything = !seat.value && cost.value === '0';
  if (current && !listed.includes(current)) current = undefined;
  if (again.checked) current = current ?? listed[0];
  document.body.classList.toggle('again', again.checked);
  for (const one of all('.event')) {
    one.classList.toggle('current', one === current);
    one.hidden = again.checked ? one !== current : !everything && !listed.includes(one);
    if (one === current) one.setAttribute('aria-current', 'step');
    else one.removeAttribute('aria-current');
    const open = again.checked && one === current && !one.classList.contains('answered');
    for (const choice of all<HTMLButtonElement>('button', one)) choice.disabled = !open;
  }
  for (const turn of all('.turn')) turn.hidden = !all('.event', turn).some((one) => !one.hidden);
  for (const game of all('.game')) {
    const now = game.querySelector('.now');
    const here = current && game.contains(current) ? current : undefined;
    game.hidden = again.checked && !here;
    now?.setAttribute('visibility', here ? 'visible' : 'hidden');
    const across = Number(game.querySelector<SVGElement>('svg[data-across]')?.dataset.across);
    if (here)
      now?.setAttribute('transform', `translate(${(across * Number(here.dataset.event)).toFixed(1)} 0)`);
  }
  const place = current
    ? `decision ${listed.indexOf(current) + 1} of ${listed.length}`
    : `${listed.length} ${listed.length === 1 ? 'decision' : 'decisions'}`;
  const right = tally.filter(([, good]) => good).length;
  const last = current?.classList.contains('answered') ? `${tally[tally.length - 1][0]}; ` : '';
  const score = tally.length ? `; ${right} of ${tally.length} answers were best` : '';
  find('#said').textContent = again.checked ? `${last}${place}${score}` : `${place}; ← and → go through them`;
}

function to(one: HTMLElement | undefined): void {
  current = one;
  show();
  current?.focus({ preventScroll: true });
  current?.scrollIntoView({ block: 'nearest' });
}

function step(by: number): void {
  const listed = decisions.filter(asked);
  const place = current ? listed.indexOf(current) + by : by > 0 ? 0 : listed.length - 1;
  const next = listed[Math.max(0, Math.min(listed.length - 1, place))];
  if (again.checked) next?.classList.remove('answered');
  to(next);
}

/** A link leads to a decision, whatever was shown before. */
function follow(): void {
  const one = decisions.find((decision) => `#${decision.id}` === location.hash);
  if (!one) return;
  [seat.value, cost.value, again.checked] = ['', '0', false];
  to(one);
}

function begin(): void {
  tally = [];
  for (const one of decisions) one.classList.remove('answered');
  show();
}

document.addEventListener('keydown', (event) => {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!by || event.altKey || event.ctrlKey || event.metaKey || event.target instanceof HTMLSelectElement)
    return;
  event.preventDefault();
  step(by);
});
for (const button of all('[data-step]'))
  button.addEventListener('click', () => step(Number(button.dataset.step)));
for (const choice of all<HTMLButtonElement>('.decision button'))
  choice.addEventListener('click', () => {
    const line = choice.parentElement!;
    for (const one of all('.yours', current)) one.classList.remove('yours');
    line.classList.add('yours');
    const good = line.classList.contains('good');
    tally.push([`${choice.textContent}: ${line.querySelector('.answer')!.textContent}`, good]);
    current!.classList.add('answered');
    to(current);
  });
seat.addEventListener('change', show);
cost.addEventListener('change', show);
again.addEventListener('change', begin);
window.addEventListener('hashchange', follow);
find('.tools').hidden = !decisions.length;
begin();
follow();
