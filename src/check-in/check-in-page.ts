import { createHash } from 'node:crypto';
import { checkInTexts } from '../languages/check-in/index.js';
import { tagOf } from '../languages/choice.js';
import { escaped } from '../languages/html.js';
import type { Language } from '../languages/language.js';
import type { CheckedIn } from './check-in.service.js';

/** What the page was asked for: to show the task, to complete it, or to take that back. */
export type Asked = 'show' | 'complete' | 'undo';

interface Shown {
  asked: Asked;
  language: Language;
  /** The path of the link. */
  path: string;
}

const STYLE = `
:root { color-scheme: light dark; font: 18px/1.5 system-ui, sans-serif; }
body { display: grid; min-height: 100dvh; margin: 0; place-items: center; }
main { box-sizing: border-box; max-width: 26rem; padding: 1.5rem; text-align: center; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; margin: 0 0 .5rem; }
p { margin: .5rem 0; }
button { background: #1f6f43; border: 0; border-radius: .8rem; color: #fff; font: inherit; font-weight: 600;
  margin-top: 1rem; min-height: 3.5rem; min-width: 12rem; padding: .5rem 1.5rem; }
button.quiet { background: none; color: inherit; font-weight: 400; text-decoration: underline; }
main[aria-busy] button { opacity: .5; }
`;

/**
 * Without scripts the page has a button; with them it completes at once when it is opened, and not when a browser opens
 * it again or ahead of time.
 */
const SCRIPT = `
const main = document.querySelector('main');
async function send(form) {
  main.setAttribute('aria-busy', 'true');
  try {
    const answer = await fetch(form.action, { method: 'POST', headers: { Accept: 'text/html' } });
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
  if (main.dataset.asked === 'show' && opened?.type === 'navigate' && document.forms[0]) send(document.forms[0]);
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

export function checkInPage({ task, today, counted }: CheckedIn, { asked, language, path }: Shown): string {
  const texts = checkInTexts[language];
  const { title, icon, targetAmount, targetUnit } = task;
  const written = (amount: number) => amount.toLocaleString(tagOf(language));
  const amounts =
    targetAmount !== null && targetUnit !== null
      ? texts.amountOf(written(today.amount), written(targetAmount), targetUnit)
      : '';
  const isDone = today.state === 'KEPT';
  const told = {
    show: '',
    complete: counted ? texts.counted : texts.countedBefore,
    undo: texts.takenBack,
  }[asked];
  const button = (action: string, text: string, quiet = false) =>
    `<form method="post" action="${escaped(action)}"><button${quiet ? ' class="quiet"' : ''}>${escaped(text)}</button></form>`;
  return document(language, asked, [
    `<h1>${escaped(icon ? `${icon} ${title}` : title)}</h1>`,
    `<p>${escaped(isDone ? texts.isDone : texts.isOpen)}${amounts && ` · ${escaped(amounts)}`}</p>`,
    `<p role="status">${escaped(told)}</p>`,
    asked === 'complete' ? button(`${path}/undo`, texts.undo, true) : button(path, texts.done),
  ]);
}

/** In place of the task: it says nothing of it. */
export const refusedPage = (language: Language, reason: 'unknown' | 'gone' | 'failed'): string =>
  document(language, 'show', [`<p role="status">${escaped(checkInTexts[language][reason])}</p>`]);

const document = (language: Language, asked: Asked, lines: string[]) => `<!doctype html>
<html lang="${tagOf(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Steady</title>
<style>${STYLE}</style>
</head>
<body>
<main data-asked="${asked}" data-failed="${escaped(checkInTexts[language].failed)}">
${lines.join('\n')}
</main>
<script>${SCRIPT}</script>
</body>
</html>
`;
