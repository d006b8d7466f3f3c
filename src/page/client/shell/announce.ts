import { knownIn, type State, shownDay } from '../sync/store.js';
import { accountOf, standingOf } from '../today/standing.js';
import { isLimit } from '../today/target.js';
import { t } from '../ui/language.js';
import { offline, refusalOf } from './notices.js';

/** Tasks that this window has changed. */
const followed = new Set<string>();
let known: string[] = [];

/** What the page says of itself, besides what is always there. */
function sentencesOf(state: State): string[] {
  const { session, screen, taps, notice, dialogNotice, isOnline } = state;
  const sentences = [
    isOnline ? t.notices.connected : offline(taps),
    notice?.text ?? '',
    dialogNotice?.text ?? '',
    session && !session.token ? `${t.signIn.again}.` : '',
  ];
  if (!screen) return sentences;
  for (const { taskId } of taps) followed.add(taskId);
  const [known, day] = [knownIn(state, screen), shownDay(state, screen)];
  for (const task of screen.tasks) {
    if (!followed.has(task.id)) continue;
    const standing = standingOf(task, day, known);
    const { isKept, isOver, words } = standing;
    const rest = isLimit(task) ? !isOver && t.states.WITHIN : !words && !isKept && t.row.notDone;
    sentences.push(`${t.said(task.title, [accountOf(task, standing), rest].filter(Boolean).join(', '))}.`);
  }
  return [...sentences, ...taps.map((tap) => (tap.refusal ? t.said(tap.title, refusalOf(tap)) : ''))];
}

/** Says what is new to those who do not see it, in a place that is there from the start. */
export function announce(state: State): void {
  const sentences = sentencesOf(state).filter(Boolean);
  const news = sentences.filter((sentence) => !known.includes(sentence));
  const isFirst = known.length === 0;
  known = sentences;
  const place = document.querySelector('#said');
  if (!place) return;
  if (news.length > 0 && !isFirst) place.textContent = news.join(' ');
  else if (!state.screen) place.textContent = ''; // it named habits of whoever has left
}
