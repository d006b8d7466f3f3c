import { dayAt, type Zone } from '../../../../packages/client/src/day.js';
import { momentOf } from '../shell/clock.js';
import type { DayState, Pause, Tap, Task, TaskDay, User } from '../sync/types.js';
import { languageInUse, t } from '../ui/language.js';
import { firstOfPeriod, isIn } from './days.js';
import { allowsNone, isLimit, isOfDay, isOfPeriod } from './target.js';

/** What became of the latest tap on a task. Nothing is `saved` before the service has said so. */
export type Status = 'open' | 'saving' | 'saved' | 'waiting' | 'refused';

export interface Standing {
  isToday: boolean;
  status: Status;
  /** By the service. */
  saved: number;
  /** Taps that the service has not confirmed. */
  pending: number;
  /** With those that it has not. */
  amount: number;
  /** Of the goal, from 0 to 1. */
  share: number;
  isKept: boolean;
  /** More than a limit allows. */
  isOver: boolean;
  /** Skipped, or in a pause: it is not asked for, begun or not. */
  isNeutral: boolean;
  state: DayState;
  words: string;
  /** The first of them, where there is room for one. */
  word: string;
}

export interface Known {
  taps: readonly Tap[];
  isOnline: boolean;
  zone: Zone & Pick<User, 'weekStartsOn'>;
  today: string;
  /** Of everything. */
  pauses?: readonly Pause[];
}

const unknown = (date: string): TaskDay => ({
  ...{ date, state: 'REST', isSkipped: false },
  ...{ amount: 0, completionCount: 0 },
});

/** Days that a view has asked for, by the id of their habit and their date: those that come with the list are newer. */
const noted = new Map<string, TaskDay>();

export function noteDays(taskId: string, days: readonly TaskDay[]): void {
  for (const day of days) noted.set(taskId + day.date, day);
  settled = new WeakMap();
}

export const dayOf = (task: Task, date: string): TaskDay =>
  task.days.find((day) => day.date === date) ?? noted.get(task.id + date) ?? unknown(date);

/** Those on their way for a day, or from a first day on to today. */
export const pendingOf = (task: Task, date: string, known: Known, first = date): Tap[] =>
  (basisOf(known).tapped.get(task.id) ?? []).flatMap(({ tap, day }) => {
    const counts = date === known.today ? day >= first : day === date;
    return counts && !tap.refusal && !tap.isUndone ? [tap] : [];
  });

/** Whether a tap takes it back: what adds up goes on being added, beyond its target too. */
export const isToggledOff = ({ target }: Task, { isKept }: Pick<Standing, 'isKept'>): boolean =>
  isKept && !target;

interface Settled {
  /** What else it was found by. */
  by: string;
  found: Map<string, unknown>;
}

/** A task stays the same object until it is told anew. */
let settled = new WeakMap<Task, Settled>();

/** Finds it once, as long as nothing of the task is on its way: a tap is drawn in the time that one task takes. */
export function settledOf<Found>(task: Task, known: Known, name: string, find: () => Found): Found {
  const { tapped, by } = basisOf(known);
  if (tapped.has(task.id)) return find();
  let kept = settled.get(task);
  if (kept?.by !== by) {
    kept = { by, found: new Map() };
    settled.set(task, kept);
  }
  if (!kept.found.has(name)) kept.found.set(name, find());
  return kept.found.get(name) as Found;
}

interface Basis {
  /** By their tasks, each with the day on which it counts. */
  tapped: Map<string, { tap: Tap; day: string }[]>;
  by: string;
}

const bases = new WeakMap<Known, Basis>();

/** What counts on arrival counts today. */
function basisOf(known: Known): Basis {
  const before = bases.get(known);
  if (before) return before;
  const { taps, zone, today, pauses } = known;
  const by = `${today} ${languageInUse()} ${JSON.stringify(pauses)}`;
  const dated = taps.map((tap) => ({
    tap,
    day: tap.countsOnArrival ? today : dayAt(momentOf(tap.at), zone),
  }));
  const basis = { tapped: Map.groupBy(dated, ({ tap }) => tap.taskId), by };
  bases.set(known, basis);
  return basis;
}

/** How a task stands on a day: what the service has confirmed, and what is still on its way. */
export const standingOf = (task: Task, date: string, known: Known): Standing =>
  settledOf(task, known, date, () => judged(task, date, known));

/** The state of a day with something on its way. */
function stateOf(task: Task, { isKept, isOver, isToday }: Pick<Standing, 'isKept' | 'isOver' | 'isToday'>) {
  if (!isLimit(task)) return isKept ? 'KEPT' : 'PARTIAL';
  if (isOver) return 'EXCEEDED';
  return isToday ? 'WITHIN' : 'KEPT';
}

function judged(task: Task, date: string, known: Known): Standing {
  const { taps, isOnline, today, pauses = [] } = known;
  const day = dayOf(task, date);
  const waiting = pendingOf(task, date, known);
  const [pending, saved] = [waiting.length, day.completionCount];
  const isToday = date === today;
  const isRefused = isToday && taps.some((tap) => tap.taskId === task.id && tap.refusal);
  const status = statusOf({ isRefused, pending, saved, isOnline });

  const goal = task.target?.amount ?? 1;
  const each = isOfDay(task) ? goal : 1; // what a tap without an amount stands for
  const isPeriod = isOfPeriod(task) && isToday;
  const all = isPeriod ? pendingOf(task, date, known, firstOfPeriod(task, date, known.zone)) : waiting;
  const coming = all.reduce((sum, { amount }) => sum + (amount ?? each), 0);
  const before = (isPeriod ? task.today.periodAmount : day.amount) ?? 0;
  const amount = exact((task.target ? before : saved) + coming);
  const isKept =
    !isLimit(task) && (isOfDay(task) || isToday ? amount >= goal : pending > 0 || day.state === 'KEPT');
  const isNeutral =
    !isKept &&
    (day.isSkipped ||
      day.state === 'PAUSED' ||
      [...pauses, ...task.pauses].some((pause) => isIn(pause, date)));
  // A skip or a pause forgives.
  const isOver = isLimit(task) && !isNeutral && (amount > goal || day.state === 'EXCEEDED');
  const isTold = pending === 0 || (isLimit(task) && isNeutral);
  const state = isTold ? day.state : stateOf(task, { isKept, isOver, isToday });

  const onTheWay = pending > 0 && numbered(pending, isOnline ? t.row.saving : t.row.waiting);
  const times = saved > 1 && !task.target ? `${t.times(saved)}, ` : '';
  const confirmed = saved > 0 && times + t.row.saved;
  const told = [isRefused && t.row.refused, onTheWay, confirmed].filter(Boolean);
  const words = told.join(' · ');
  const word = told[0] || '';
  const reached = goal > 0 ? Math.min(1, amount / goal) : Math.min(1, amount);
  return {
    isToday,
    status,
    saved,
    pending,
    amount,
    share: isKept ? 1 : reached,
    isKept,
    isNeutral,
    isOver,
    state,
    words,
    word,
  };
}

/** Amounts have three decimals. */
export const exact = (amount: number): number => Math.round(amount * 1_000) / 1_000;

const numbered = (count: number, words: string) => (count > 1 ? t.row.several(count, words) : words);

interface Facts {
  isRefused: boolean;
  pending: number;
  saved: number;
  isOnline: boolean;
}

function statusOf({ isRefused, pending, saved, isOnline }: Facts): Status {
  if (pending > 0) return isOnline ? 'saving' : 'waiting';
  if (isRefused) return 'refused';
  return saved > 0 ? 'saved' : 'open';
}

export type Group = 'open' | 'done' | 'rest';

/** Where a habit stands in the list of a day. */
export function groupOf({ isKept, isNeutral, state }: Standing): Group {
  if (isKept) return 'done';
  if (isNeutral) return 'rest';
  return state === 'OPEN' || state === 'MISSED' || state === 'PARTIAL' ? 'open' : 'rest';
}

/** `3 of 8 glasses`, `12 of 20 km this week`; empty without a target. Of an earlier day it says what was done on it. */
export function progressOf(
  task: Task,
  { amount, isToday, isOver }: Pick<Standing, 'amount' | 'isToday' | 'isOver'>,
): string {
  const { target, streak } = task;
  if (!target) return '';
  if (allowsNone(task) && isToday && !isOver && streak.count === 0) return t.states.WITHIN;
  if (allowsNone(task) && isToday) return t.limits.without(t.runs[streak.unit](isOver ? 0 : streak.count));
  if (allowsNone(task) && amount === 0) return '';
  if (allowsNone(task) || (isOfPeriod(task) && !isToday)) return t.habit.valueOf(amount, 0, target.unit);
  const progress = t.row.progress(amount, target.amount, target.unit);
  if (target.per === 'DAY') return progress;
  return target.per === 'WEEK' ? t.limits.ofWeek(progress) : t.limits.ofMonth(progress);
}

/** `1 over`, of a limit that allows some; `exceeded`. */
export function overOf({ target }: Task, { amount, isOver }: Pick<Standing, 'amount' | 'isOver'>): string {
  const over = exact(amount - (target?.amount ?? 0));
  if (!isOver) return '';
  return target?.amount && over > 0 ? t.limits.over(over) : t.states.EXCEEDED;
}

/** `3 of 2 cups, 1 over, saved` */
export const accountOf = (task: Task, standing: Standing, words = standing.words): string =>
  [progressOf(task, standing), overOf(task, standing), words].filter(Boolean).join(', ');
