import { tagOf } from '../../base/languages/choice.js';
import type { Language } from '../../base/languages/language.js';
import type { TaskRow } from '../habits/task.queries.js';
import type { Today } from '../history/calendar/task-days.service.js';
import type { TrueStreak } from '../history/streaks/streak.js';
import type { Notice } from './channels/message.js';
import { messageTexts } from './texts/index.js';

/** A task that is open on the day that rings. */
export interface OpenTask {
  task: TaskRow;
  today: Today;
  streak: TrueStreak;
}

interface Rung {
  id: string;
  day: string;
  language: Language;
  /** Whether it is the day's reminder. */
  isOfDay: boolean;
  /** The user's run, while it ends with the day. */
  runAtRisk: number | null;
  /** The address of the service; undefined where it does not know it. */
  publicUrl: string | undefined;
  /** The link that completes a task. */
  linkOf: (task: TaskRow) => string;
}

/** Push services take 4,096 bytes with the encryption, and ntfy makes a file of a text with more than that. */
const LONGEST_CHARACTERS = 700;

/** Cuts between characters, never within one. */
const shortened = (text: string) =>
  text.length > LONGEST_CHARACTERS
    ? `${text.slice(0, LONGEST_CHARACTERS - 1).replace(/[\ud800-\udbff]$/, '')}…`
    : text;

/** What is said of open tasks, of which there is at least one, in the order of the user. */
export function noticeOf(open: readonly OpenTask[], rung: Rung): Notice {
  const { id, day, language, isOfDay, runAtRisk, publicUrl, linkOf } = rung;
  const texts = messageTexts[language];
  const names = open.map(({ task }) => task.title).join(', ');
  const [first] = open;
  const only = open.length === 1 ? first : undefined;
  const sentences = [
    isOfDay ? texts.left(open.length, names) : only ? '' : names,
    isOfDay ? '' : only ? leftOf(only, language) : '',
    isOfDay ? (runAtRisk === null ? '' : texts.runEnds(runAtRisk)) : only ? runOf(only, language) : '',
  ];
  return {
    id,
    day,
    language: tagOf(language),
    title: shortened(only ? only.task.title : texts.habits(open.length)),
    text: shortened(sentences.filter(Boolean).join(' ') || texts.open),
    icon: only?.task.icon,
    colour: only?.task.colour,
    taskIds: open.map(({ task }) => task.id),
    url: publicUrl === undefined ? undefined : `${publicUrl}/${only ? `#task=${only.task.id}` : ''}`,
    ...(only && publicUrl !== undefined && { done: { url: linkOf(only.task), label: texts.done } }),
  };
}

function leftOf({ task, today }: OpenTask, language: Language): string {
  const { targetAmount, targetUnit } = task;
  if (targetAmount === null || targetUnit === null) return '';
  const written = (amount: number) => amount.toLocaleString(tagOf(language));
  const amounts = messageTexts[language].amountOf(
    written(today.periodAmount),
    written(targetAmount),
    targetUnit,
  );
  return `${amounts}.`;
}

const runOf = ({ streak: { unit, count } }: OpenTask, language: Language): string =>
  count > 0 ? messageTexts[language].run[unit](count) : '';
