// What the documents of this page ask for, as it arrives.

import type { Language } from '../../languages/language.js';

export type Weekday = 'MONDAY' | 'TUESDAY' | 'WEDNESDAY' | 'THURSDAY' | 'FRIDAY' | 'SATURDAY' | 'SUNDAY';

export type Period = 'WEEK' | 'MONTH';

export type DayState =
  | 'KEPT'
  | 'PARTIAL'
  | 'MISSED'
  | 'SKIPPED'
  | 'PAUSED'
  | 'REST'
  | 'DUE'
  | 'FUTURE'
  | 'WITHIN'
  | 'EXCEEDED';

export interface Streak {
  unit: 'DAYS' | 'TIMES' | 'WEEKS' | 'MONTHS';
  count: number;
  longest: number;
}

/** A day of all habits together. */
export interface Day {
  date: string;
  completions: number;
  points: number;
}

/** A day of one habit. */
export interface TaskDay {
  date: string;
  state: DayState;
  /** Whatever was done on it. */
  isSkipped: boolean;
  amount: number;
  completions: number;
}

/** One of the three: on weekdays, every so many days, or so many times in a period. */
export interface Schedule {
  weekdays: Weekday[] | null;
  every: number | null;
  times: number | null;
  per: Period | null;
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
  target: Target | null;
  colour: string | null;
  icon: string | null;
  tags: string[];
  /** The heading below which it stands; null: none. */
  section: string | null;
  pauses: Pause[];
  today: { lastCompletionId: string | null; periodAmount: number };
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
    tracked: boolean;
    daysTotal: number;
    daysElapsed: number;
    daysDone: number;
    isOver: boolean;
  };
}

/** What decides when a day of the user begins and ends. */
export interface Zone {
  timeZone: string;
  dayStartsAt: number;
}

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
  calendar: Day[];
}

export interface HabitDay extends TaskDay {
  notes: string[];
}

export interface Statistics {
  rate: number | null;
  byWeekday: { weekday: Weekday; due: number; kept: number }[];
  by: { from: string; due: number; kept: number }[];
}

/** What a habit's own view shows beyond the list. */
export interface HabitView {
  completionCount: number;
  calendar: HabitDay[];
  statistics: Statistics;
}

/** One that is over. */
export interface PastChallenge {
  id: string;
  status: 'ACTIVE' | 'COMPLETED' | 'ABANDONED';
  createdAt: string;
  template: { title: string };
  progress: { daysDone: number; daysTotal: number; tracked: boolean };
}

/** One of the times that a habit was done on a day. */
export interface Completion {
  id: string;
  amount: number | null;
  note: string | null;
  completedAt: string;
}

/** With which a script does something for the user. */
export interface ApiToken {
  id: string;
  name: string;
  scopes: string[];
  ending: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
}

/** All that is shown, as the service said it last. */
export interface Screen {
  user: User;
  tasks: Task[];
  archived: { id: string; title: string }[];
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
  /** Null: the whole target. */
  amount: number | null;
  note: string | null;
  /** It may have been counted: taking it away here would not undo it. */
  isSent: boolean;
  /** To be undone as soon as the service has confirmed it. */
  isUndone: boolean;
  /** To be counted when it arrives, not when it was done: that was too long ago, and the person said so. */
  countsOnArrival: boolean;
  refusal: { reason: string; message: string } | null;
}
