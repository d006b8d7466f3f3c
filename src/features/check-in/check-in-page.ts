import { createHash } from 'node:crypto';
import { tagOf } from '../../base/languages/choice.js';
import { escaped } from '../../base/languages/html.js';
import type { Language } from '../../base/languages/language.js';
import type { Colour } from '../habits/colour.js';
import type { TaskRow } from '../habits/task.queries.js';
import type { Today } from '../history/calendar/task-days.service.js';
import { isLimit } from '../schedules/target.js';
import type { CheckedIn } from './check-in.service.js';
import { type CheckInTexts, checkInTexts } from './texts/index.js';

/** What the page was asked for: to show the task, to complete it, or to take that back. */
export type Asked = 'show' | 'complete' | 'undo';

interface Shown {
  asked: Asked;
  language: Language;
  /** The path of the link. */
  path: string;
}

/** In light and in dark, as the page for people has them. */
const COLOURS: Record<Colour, [light: string, dark: string]> = {
  RED: ['#c62f3d', '#ff8a8f'],
  ORANGE: ['#b8500a', '#ffa366'],
  AMBER: ['#96600a', '#f5c04e'],
  LIME: ['#5a7600', '#c3dc5a'],
  GREEN: ['#2e7d32', '#7ed58a'],
  TEAL: ['#0f766e', '#5fd3bf'],
  CYAN: ['#0e7490', '#6dd3ea'],
  BLUE: ['#1d5fd1', '#86b4ff'],
  INDIGO: ['#4548c4', '#a9abff'],
  VIOLET: ['#7c3aed', '#c7a4ff'],
  PINK: ['#c2256f', '#ff92c2'],
  GREY: ['#5d6762', '#b3beb8'],
};

const classOf = (colour: string) => `colour-${colour.toLowerCase()}`;

const OWN = Object.entries(COLOURS).map(
  ([name, [light, dark]]) => `.${classOf(name)} { --own: light-dark(${light}, ${dark}); }`,
);

const STYLE = `
:root { color-scheme: light dark; font: 18px/1.5 system-ui, sans-serif;
  --own: light-dark(#0f6b54, #62d2ae); --edge: light-dark(#dde4de, #2a3531);
  color: light-dark(#18221e, #e9efec); background: light-dark(#f4f6f3, #0f1513); }
${OWN.join('\n')}
body { display: grid; min-height: 100dvh; margin: 0; place-items: center; }
main { box-sizing: border-box; width: min(24rem, 100vw - 2rem); padding: 2rem 1.5rem 1rem; text-align: center;
  overflow-wrap: anywhere; border: 1px solid var(--edge); border-radius: 1.25rem;
  background: light-dark(#fff, #18201d); }
.ring { position: relative; display: inline-grid; place-items: center; font-size: 2.5rem; line-height: 1; }
svg { width: 7rem; height: 7rem; fill: none; stroke: var(--edge); stroke-width: 1.6; stroke-linecap: round;
  stroke-linejoin: round; }
.share { stroke: var(--own); transform: rotate(-90deg); transform-origin: center; }
svg path { stroke: var(--own); stroke-width: 2; }
.ring span { position: absolute; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 1rem 0 .25rem; }
p { margin: .25rem 0; }
[role=status] { font-size: 1.25rem; font-weight: 600; color: var(--own); }
button { background: var(--own); border: 1px solid var(--own); border-radius: .8rem; color: light-dark(#fff, #06231a);
  font: inherit; font-weight: 600; margin: 1rem 0; min-height: 3.25rem; min-width: 12rem; padding: .5rem 1.5rem; }
button.quiet { background: none; color: inherit; border-color: light-dark(#7d8b84, #7f8f88); font-weight: 400;
  min-height: 44px; min-width: 8rem; }
footer { color: light-dark(#52605a, #a6b4ad); font-size: .8rem; }
main[aria-busy] button { opacity: .5; }
`;

/**
 * Without scripts the page has a button; with them it completes at once when it is opened, and not when a browser opens
 * it again or ahead of time, nor where its address says `?ask`.
 */
const SCRIPT = `
const main = document.querySelector('main');
async function send(form) {
  main.setAttribute('aria-busy', 'true');
  try {
    const body = new URLSearchParams(new FormData(form));
    const answer = await fetch(form.action, { method: 'POST', headers: { Accept: 'text/html' }, body });
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    main.replaceChildren(...page.querySelector('main').childNodes);
  } catch {
    main.querySelector('[role=status]').textContent = main.dataset.failed;
  }
  main.removeAttribute('aria-busy');
}
document.addEventListener('submit', (event) => {
  event.preventDefault();
  if (!main.hasAttribute('aria-busy')) send(event.target);
});
function begin() {
  const opened = performance.getEntriesByType('navigation')[0];
  const asks = new URLSearchParams(location.search).has('ask');
  const isNew = main.dataset.asked === 'show' && opened?.type === 'navigate';
  if (isNew && !asks && document.forms[0]) send(document.forms[0]);
}
if (document.prerendering) document.addEventListener('prerenderingchange', begin, { once: true });
else begin();
`;

const hashed = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** What the page may load: itself. */
export const PAGE_POLICY = [
  "default-src 'none'",
  `script-src ${hashed(SCRIPT)}`,
  `style-src ${hashed(STYLE)}`,
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function checkInPage(
  { task, today, counted, isDoneElsewhere }: CheckedIn,
  { asked, language, path }: Shown,
): string {
  const texts = checkInTexts[language];
  const { title, colour, targetAmount, targetUnit } = task;
  const written = (amount: number) => amount.toLocaleString(tagOf(language));
  const amounts =
    targetAmount !== null && targetUnit !== null
      ? texts.amountOf(written(today.periodAmount), written(targetAmount), targetUnit)
      : '';
  const isCounted = asked === 'complete' && counted;
  const standing = isCounted ? [] : [wordOf(today, task, texts), amounts].filter((each) => each !== '');
  const told = {
    show: '',
    complete: isCounted ? `${amounts || texts.isDone} ✓` : texts.countedBefore,
    undo: texts.takenBack,
  }[asked];
  const button = (action: string, text: string, { isQuiet = false, field = '' } = {}) =>
    `<form method="post" action="${escaped(action)}">${field}<button${isQuiet ? ' class="quiet"' : ''}>${escaped(text)}</button></form>`;
  const undo = isDoneElsewhere ? '' : button(`${path}/undo`, texts.undo, { isQuiet: true });
  // Without a target once is enough, on whichever device.
  const field = targetAmount === null ? '<input type="hidden" name="once" value="true">' : '';
  const lines = [
    ringOf(today, task),
    `<h1>${escaped(title)}</h1>`,
    `<p>${escaped(standing.join(' · '))}</p>`,
    `<p role="status">${escaped(told)}</p>`,
    asked === 'complete' ? undo : button(path, texts.done, { field }),
  ];
  return document(language, asked, lines, colour ? classOf(colour) : '');
}

/** As a habit has it in the list: how far it is, with its icon until it is full. */
function ringOf({ state, completionCount, periodAmount }: Today, task: TaskRow): string {
  const { icon, targetAmount } = task;
  const goal = targetAmount || 1;
  const done = targetAmount === null ? completionCount : periodAmount;
  const isFull = state === 'KEPT' && done >= goal && !isLimit(task);
  const share = Math.min(1, done / goal);
  const circle = '<circle cx="12" cy="12" r="10.5"';
  return [
    '<div class="ring" aria-hidden="true"><svg viewBox="0 0 24 24">',
    `${circle}/>`,
    share > 0 ? `${circle} class="share" pathLength="1" stroke-dasharray="${share.toFixed(3)} 1"/>` : '',
    isFull ? '<path d="m7 12.5 3.5 3.5 6.5-8"/>' : '',
    `</svg>${icon && !isFull ? `<span>${escaped(icon)}</span>` : ''}</div>`,
  ].join('');
}

/** Of what has begun, or is to stay below a limit, the amounts say all that is true. */
function wordOf({ state, completionCount, remaining }: Today, task: TaskRow, texts: CheckInTexts): string {
  if (isLimit(task)) return '';
  if (state === 'KEPT' && (remaining ?? 0) <= 0) return texts.isDone;
  return completionCount === 0 ? texts.isOpen : '';
}

/** In place of the task: it says nothing of it. */
export const refusedPage = (language: Language, reason: 'unknown' | 'gone' | 'failed'): string =>
  document(language, 'show', [`<p role="status">${escaped(checkInTexts[language][reason])}</p>`]);

const document = (language: Language, asked: Asked, lines: string[], colour = '') => `<!doctype html>
<html lang="${tagOf(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Steady</title>
<style>${STYLE}</style>
</head>
<body>
<main class="${colour}" data-asked="${asked}" data-failed="${escaped(checkInTexts[language].failed)}">
${lines.join('\n')}
<footer>Steady</footer>
</main>
<script>${SCRIPT}</script>
</body>
</html>
`;
