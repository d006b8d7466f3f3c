import type { Connection } from './connection.js';
import { dayAt } from './day.js';
import { TODAY } from './documents.js';
import type { Queue } from './queue.js';
import type { Waiting } from './stored-outbox.js';
import type { KeptTap } from './taps.js';

export interface Habit {
  id: string;
  title: string;
  section: string | null;
  colour: string | null;
  icon: string | null;
  tags: string[];
  /** How it stands today, with what waits: `OPEN`, `PARTIAL`, `KEPT`, `WITHIN`, `EXCEEDED`, `REST`, `SKIPPED`, `PAUSED`. */
  state: string;
  /** Whether the schedule has it today, whatever was done. */
  isDue: boolean;
  /** Whether it still asks for something. */
  isOpen: boolean;
  /** How often it was done today. */
  count: number;
  /** What was done of the target, in its day, week or month; null without one. */
  amount: number | null;
  target: number | null;
  unit: string | null;
  per: 'DAY' | 'WEEK' | 'MONTH' | null;
  /** Whether the target is a limit. */
  isLimit: boolean;
  /** What a tap on the page adds to the target, to that of a day at most what is left; null means 1. */
  step: number | null;
  streak: number;
  streakUnit: string;
  /** How many taps wait. */
  waiting: number;
}

export interface Today {
  /** The user's day. */
  date: string;
  endsAt: string;
  /** All that are in use, in their order. */
  habits: Habit[];
  /** Whether this is what was known before. */
  isStale: boolean;
  /** Why the service did not say it: `NO_ANSWER`, or a refusal such as `OVERLOADED`; null where it did, or was not asked. */
  staleReason: string | null;
}

export interface Task {
  id: string;
  title: string;
  section: string | null;
  colour: string | null;
  icon: string | null;
  tags: string[];
  target: {
    amount: number;
    unit: string;
    kind: 'AT_LEAST' | 'AT_MOST';
    per: 'DAY' | 'WEEK' | 'MONTH';
  } | null;
  step: number | null;
  today: {
    state: string;
    isDue: boolean;
    isOpen: boolean;
    completionCount: number;
    amount: number | null;
    periodAmount: number | null;
  };
  streak: { unit: string; count: number; longest: number; doneToday: boolean };
}

export interface Screen {
  me: { today: string; todayEndsAt: string; timeZone: string; dayStartsAt: number };
  tasks: Task[];
}

interface PageOfToday {
  me: Screen['me'];
  tasks: { nodes: Task[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };
}

/** In the order of their list, each once: what is moved between two questions may be on both pages. */
async function readScreen(connection: Connection): Promise<Screen> {
  const byId = new Map<string, Task>();
  for (let after: string | null = null; ; ) {
    const page: PageOfToday = await connection.ask<PageOfToday>(TODAY, { after });
    for (const task of page.tasks.nodes) byId.set(task.id, task);
    after = page.tasks.pageInfo.endCursor;
    if (!page.tasks.pageInfo.hasNextPage) return { me: page.me, tasks: [...byId.values()] };
  }
}

/** What the service has told, with what waits. */
export function todayOf({ me, tasks }: Screen, waiting: Waiting, momentOf: (tap: KeptTap) => number): Today {
  const isOfToday = (tap: KeptTap) => dayAt(momentOf(tap), me) === me.today;
  const taps = waiting.taps.filter(isOfToday);
  const undone = waiting.counted.filter(isOfToday);
  const habits = tasks.map((task) => {
    const own = ({ taskId }: KeptTap) => taskId === task.id;
    return habitOf(task, taps.filter(own), undone.filter(own));
  });
  return { date: me.today, endsAt: me.todayEndsAt, habits, isStale: false, staleReason: null };
}

/** Amounts have three decimals. */
export const exact = (amount: number) => Math.round(amount * 1_000) / 1_000;

function habitOf(task: Task, taps: readonly KeptTap[], undone: readonly KeptTap[]): Habit {
  const { target, today, streak, ...named } = task;
  const isLimit = target?.kind === 'AT_MOST';
  const isOfDay = !isLimit && (target?.per ?? 'DAY') === 'DAY';
  const each = isOfDay ? (target?.amount ?? 1) : 1; // what a tap without an amount stands for
  // Of those that count once, the service takes the first, where it has none.
  const counted = taps.filter(({ once }, before) => !once || today.completionCount + before === 0);
  const sum = (all: readonly KeptTap[]) => all.reduce((all, { amount }) => all + (amount ?? each), 0);
  const before = (target && target.per !== 'DAY' ? today.periodAmount : today.amount) ?? 0;
  const amount = target ? Math.max(0, exact(before + sum(counted) - sum(undone))) : null;
  const count = Math.max(0, today.completionCount + counted.length - undone.length);
  const isChanged = taps.length + undone.length > 0;
  const isKept = !isLimit && (target ? (amount ?? 0) >= target.amount : count > 0);
  const isNeutral = ['SKIPPED', 'PAUSED'].includes(today.state);
  const state = isChanged ? stateOf(task, { amount: amount ?? 0, count, isKept }) : today.state;
  const counts = streak.unit === 'DAYS' || streak.unit === 'TIMES';
  const grows = counts && isChanged && isKept && !streak.doneToday;
  return {
    ...named,
    state,
    isDue: today.isDue,
    isOpen: isChanged ? today.isDue && !isKept && !isLimit && !isNeutral : today.isOpen,
    count,
    amount,
    target: target?.amount ?? null,
    unit: target?.unit ?? null,
    per: target?.per ?? null,
    isLimit,
    streak: streak.count + (grows ? 1 : 0),
    streakUnit: streak.unit,
    waiting: taps.length,
  };
}

function stateOf(
  { target, today }: Task,
  { amount, count, isKept }: { amount: number; count: number; isKept: boolean },
): string {
  if (isKept) return 'KEPT';
  if (today.state === 'SKIPPED' || today.state === 'PAUSED') return today.state;
  if (target?.kind === 'AT_MOST') return amount > target.amount ? 'EXCEEDED' : 'WITHIN';
  if (count > 0 && target) return 'PARTIAL';
  return today.isDue ? 'OPEN' : 'REST';
}

/** How often is asked, until nothing was sent by others in between. */
const MOST_ASKED = 3;

/** Not while something is sent: an answer may count what waits, or not. */
export async function askScreen(connection: Connection, queue: Queue): Promise<Screen> {
  for (let left = MOST_ASKED; ; left -= 1) {
    const before = await queue.waiting();
    const screen = await readScreen(connection);
    if (left === 1 || isSame(before, await queue.waiting())) return screen;
  }
}

const isSame = (one: Waiting, other: Waiting) =>
  [one, other]
    .map(({ taps, undone }) => [...taps, ...undone].map(({ key }) => key).join())
    .every((keys, _, [first]) => keys === first);
