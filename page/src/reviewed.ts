/** The program of a page of reviewed games: it steps through decisions, filters them, and asks them again as a quiz. */

const find = <T extends Element = HTMLElement>(selector: string) => document.querySelector<T>(selector)!;
const all = <T extends Element = HTMLElement>(selector: string, parent: ParentNode = document) => [
  ...parent.querySelectorAll<T>(selector),
];

const [seatSelect, costSelect, againBox] = [
  find<HTMLSelectElement>('#seat'),
  find<HTMLSelectElement>('#cost'),
  find<HTMLInputElement>('#again'),
];
const decisions = all('.decision');
let current: HTMLElement | undefined;
let tally: [string, boolean][] = []; // answers of the quiz, each with whether it was best

const isSelected = (decision: HTMLElement) =>
  (!seatSelect.value || decision.dataset.seat === seatSelect.value) &&
  Number(decision.dataset.cost) >= Number(costSelect.value);

/** Show the selected decisions. A quiz shows only the current one, because the others would give the answer away. */
function show(): void {
  const listed = decisions.filter(isSelected);
  const isAll = !seatSelect.value && costSelect.value === '0';
  if (current && !listed.includes(current)) current = undefined;
  if (againBox.checked) current = current ?? listed[0];
  document.body.classList.toggle('again', againBox.checked);
  for (const event of all('.event')) {
    event.classList.toggle('current', event === current);
    event.hidden = againBox.checked ? event !== current : !isAll && !listed.includes(event);
    if (event === current) event.setAttribute('aria-current', 'step');
    else event.removeAttribute('aria-current');
    const open = againBox.checked && event === current && !event.classList.contains('answered');
    for (const choice of all<HTMLButtonElement>('button', event)) choice.disabled = !open;
  }
  for (const turn of all('.turn')) turn.hidden = !all('.event', turn).some((event) => !event.hidden);
  for (const game of all('.game')) {
    const marker = game.querySelector('.now');
    const shownDecision = current && game.contains(current) ? current : undefined;
    game.hidden = againBox.checked && !shownDecision;
    marker?.setAttribute('visibility', shownDecision ? 'visible' : 'hidden');
    const across = Number(game.querySelector<SVGElement>('svg[data-across]')?.dataset.across);
    if (shownDecision)
      marker?.setAttribute(
        'transform',
        `translate(${(across * Number(shownDecision.dataset.event)).toFixed(1)} 0)`,
      );
  }
  const place = current
    ? `decision ${listed.indexOf(current) + 1} of ${listed.length}`
    : `${listed.length} ${listed.length === 1 ? 'decision' : 'decisions'}`;
  const rightCount = tally.filter(([, isGood]) => isGood).length;
  const lastAnswer = current?.classList.contains('answered') ? `${tally[tally.length - 1][0]}; ` : '';
  const score = tally.length ? `; ${rightCount} of ${tally.length} answers were best` : '';
  find('#said').textContent = againBox.checked
    ? `${lastAnswer}${place}${score}`
    : `${place}; ← and → go through them`;
}

function goTo(decision: HTMLElement | undefined): void {
  current = decision;
  show();
  current?.focus({ preventScroll: true });
  current?.scrollIntoView({ block: 'nearest' });
}

function step(offset: number): void {
  const listed = decisions.filter(isSelected);
  const place = current ? listed.indexOf(current) + offset : offset > 0 ? 0 : listed.length - 1;
  const next = listed[Math.max(0, Math.min(listed.length - 1, place))];
  if (againBox.checked) next?.classList.remove('answered');
  goTo(next);
}

/** Show the decision that the link names, with all others. */
function follow(): void {
  const decision = decisions.find((decision) => `#${decision.id}` === location.hash);
  if (!decision) return;
  [seatSelect.value, costSelect.value, againBox.checked] = ['', '0', false];
  goTo(decision);
}

function begin(): void {
  tally = [];
  for (const decision of decisions) decision.classList.remove('answered');
  show();
}

document.addEventListener('keydown', (event) => {
  const offset = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!offset || event.altKey || event.ctrlKey || event.metaKey || event.target instanceof HTMLSelectElement)
    return;
  event.preventDefault();
  step(offset);
});
for (const button of all('[data-step]'))
  button.addEventListener('click', () => step(Number(button.dataset.step)));
for (const choice of all<HTMLButtonElement>('.decision button'))
  choice.addEventListener('click', () => {
    const line = choice.parentElement!;
    for (const answer of all('.yours', current)) answer.classList.remove('yours');
    line.classList.add('yours');
    const good = line.classList.contains('good');
    tally.push([`${choice.textContent}: ${line.querySelector('.answer')!.textContent}`, good]);
    current!.classList.add('answered');
    goTo(current);
  });
seatSelect.addEventListener('change', show);
costSelect.addEventListener('change', show);
againBox.addEventListener('change', begin);
window.addEventListener('hashchange', follow);
find('.tools').hidden = !decisions.length;
begin();
follow();
