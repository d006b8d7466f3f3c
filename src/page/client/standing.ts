import { momentOf } from './clock.js';
import { dayAt } from './days.js';
import { t } from './language.js';
import type { DayState, Tap, Task, TaskDay, Zone } from './types.js';

/** What became of the latest tap on a task. Nothing is `saved` before the service has said so. */
export type Status = 'open' | 'saving' | 'saved' | 'waiting' | 'refused';

export interface Standing {
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
  state: DayState;
  words: string;
}

export interface Known {
  taps: readonly Tap[];
  isOnline: boolean;
  zone: Zone;
  today: string;
}

const unknown = (date: string): TaskDay => ({ date, state: 'REST', amount: 0, completions: 0 });

export const dayOf = (task: Task, date: string): TaskDay =>
  task.days.find((day) => day.date === date) ?? unknown(date);

/** Those on their way for a day. What counts on arrival counts today. */
export const pendingOf = (task: Task, date: string, { taps, zone, today }: Known): Tap[] =>
  taps.filter(({ taskId, refusal, isUndone, at, countsOnArrival }) => {
    if (taskId !== task.id || refusal || isUndone) return false;
    const day = countsOnArrival ? today : dayAt(momentOf(at), zone);
    return date === today ? day >= today : day === date;
  });

/** How a task stands on a day: what the service has confirmed, and what is still on its way. */
export function standingOf(task: Task, date: string, known: Known): Standing {
  const { taps, isOnline, today } = known;
  const day = dayOf(task, date);
  const waiting = pendingOf(task, date, known);
  const [pending, saved] = [waiting.length, day.completions];
  const isRefused = date === today && taps.some((tap) => tap.taskId === task.id && tap.refusal);
  const status = statusOf({ isRefused, pending, saved, isOnline });

  const goal = task.target?.amount ?? 1;
  const coming = waiting.reduce((sum, { amount }) => sum + (amount ?? goal), 0);
  const amount = exact((task.target ? day.amount : saved) + coming);
  const isKept = amount >= goal;
  const state = pending === 0 ? day.state : isKept ? 'KEPT' : 'PARTIAL';

  const onTheWay = pending > 0 && numbered(pending, isOnline ? t.row.saving : t.row.waiting);
  const times = saved > 1 && !task.target ? `${t.times(saved)}, ` : '';
  const confirmed = saved > 0 && times + t.row.saved;
  const words = [isRefused && t.row.refused, onTheWay, confirmed].filter(Boolean).join(' · ');
  return { status, saved, pending, amount, share: Math.min(1, amount / goal), isKept, state, words };
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

/** Where a habit stands in the list of a day. */
export function groupOf({ isKept, state }: Standing): 'due' | 'done' | 'rest' {
  if (isKept) return 'done';
  return state === 'DUE' || state === 'MISSED' || state === 'PARTIAL' ? 'due' : 'rest';
}

/** `3 of 8 glasses`; empty without a target. */
export const progressOf = ({ target }: Task, { amount }: Pick<Standing, 'amount'>): string =>
  target ? t.row.progress(amount, target.amount, target.unit) : '';
