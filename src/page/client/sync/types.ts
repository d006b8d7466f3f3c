import type { Zone } from '../../../../packages/client/src/day.js';
// What the documents of this page ask for, as it arrives.

import type { Language } from '../../../base/languages/language.js';

export type Weekday = 'MONDAY' | 'TUESDAY' | 'WEDNESDAY' | 'THURSDAY' | 'FRIDAY' | 'SATURDAY' | 'SUNDAY';

export type Period = 'WEEK' | 'MONTH';

export type DayState =
  | 'KEPT'
  | 'PARTIAL'
  | 'MISSED'
  | 'SKIPPED'
  | 'PAUSED'
  | 'REST'
  | 'OPEN'
  | 'FUTURE'
  | 'WITHIN'
  | 'EXCEEDED';

export interface Streak {
  unit: 'DAYS' | 'TIMES' | 'WEEKS' | 'MONTHS';
  count: number;
  longest: number;
  /** Of a habit: whether it ends with today unless that is kept. */
  atRisk?: boolean;
}

/** A day of all habits together. */
export interface Day {
  date: string;
  /** Null: it is not known. */
  dueCount: number | null;
  keptCount: number;
}

/** A day of one habit. */
export interface TaskDay {
  date: string;
  state: DayState;
  /** Whatever was done on it. */
  isSkipped: boolean;
  /** Only of the last days. */
  isDue?: boolean;
  /** Null without a target. */
  amount: number | null;
  completionCount: number;
}

/** One of the three, or none of them for every day. */
export interface Schedule {
  weekdays: Weekday[] | null;
  everyDays: number | null;
  timesPer: { count: number; period: Period } | null;
}

export interface Target {
  amount: number;
  unit: string;
  /** To reach it, or to stay below. */
  kind: 'AT_LEAST' | 'AT_MOST';
  per: 'DAY' | Period;
}

/** When a habit rings. */
export interface Reminder {
  /** Such as 08:00, on the clock of the person. */
  at: string;
  weekdays: Weekday[];
}

/** Both days belong to it; null: open. */
export interface Pause {
  id: string;
  from: string;
  until: string | null;
}

export interface Task {
  id: string;
  title: string;
  description: string | null;
  points: number;
  challengeTemplate: { id: string } | null;
  schedule: Schedule;
  /** Whether one day late is in time, every so many days. */
  hasGraceDay: boolean;
  target: Target | null;
  /** What a tap adds to it; null: 1, or what is left. */
  step: number | null;
  colour: string | null;
  icon: string | null;
  tags: string[];
  /** The heading below which it stands; null: none. */
  section: string | null;
  pauses: Pause[];
  /** The amount is null without a target. */
  today: { lastCompletion: { id: string } | null; periodAmount: number | null };
  /** How far a week or month is: in its days, or in the unit of its target. Null: the habit has none. */
  thisPeriod: { goal: number; done: number } | null;
  streak: Streak;
  /** The last week, and tomorrow. */
  days: TaskDay[];
}

export interface Template {
  id: string;
  title: string;
  description: string;
  durationDays: number;
}

export interface Challenge {
  id: string;
  notes: string | null;
  template: Template;
  progress: {
    isTracked: boolean;
    daysTotal: number;
    daysElapsed: number;
    daysDone: number;
    isOver: boolean;
  };
}

/** What decides when a day of the user begins and ends. */
export interface User extends Zone {
  /** Null: that of the device. */
  language: Language | null;
  id: string;
  name: string;
  email: string;
  points: number;
  today: string;
  weekStartsOn: Weekday;
  streak: Streak;
  /** In the order of their first habit. */
  sections: string[];
  pauses: Pause[];
  activeChallenge: Challenge | null;
}

export interface HabitDay extends TaskDay {
  notes: string[];
}

export interface Statistics {
  rate: number | null;
  byWeekday: { weekday: Weekday; dueCount: number; keptCount: number }[];
  by: { from: string; dueCount: number; keptCount: number }[];
}

/** What a habit's own view shows beyond the list. */
export interface HabitView {
  completionCount: number;
  /** How firm it is, from 0 to 1. */
  score: number;
  calendar: HabitDay[];
  statistics: Statistics;
}

/** One that is over. */
export interface PastChallenge {
  id: string;
  status: 'ACTIVE' | 'COMPLETED' | 'ABANDONED';
  template: { title: string };
  progress: { firstDay: string; daysDone: number; daysTotal: number; isTracked: boolean };
}

/** One of the times that a habit was done on a day. */
export interface Completion {
  id: string;
  amount: number | null;
  note: string | null;
  completedAt: string;
}

/** All that is shown, as the service said it last. */
export interface Screen {
  user: User;
  tasks: Task[];
  archived: { id: string; title: string; archivedAt: string }[];
  /** Whether the service has a way of sending reminders. */
  canRemind: boolean;
}

/** A tap on a task that the service has not confirmed. */
export interface Tap {
  /** The idempotency key, made at the tap: however often it is sent, it counts once. */
  key: string;
  userId: string;
  taskId: string;
  title: string;
  /** In milliseconds, by the clock of this device. */
  at: number;
  /** Null: the habit has no target. */
  amount: number | null;
  note: string | null;
  /** It may have been counted: taking it away here would not undo it. */
  isSent?: boolean;
  /** To be undone as soon as the service has confirmed it. */
  isUndone?: boolean;
  /** By which it is undone. */
  completionId?: string;
  /** To be counted when it arrives, not when it was done: that was too long ago, and the person said so. */
  countsOnArrival?: boolean;
  refusal?: { reason: string; message: string } | null;
}
