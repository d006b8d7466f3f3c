// What the documents of this page ask for, as it arrives.

export interface Streak {
  days: number;
  longest: number;
  doneToday: boolean;
  atRisk: boolean;
}

export interface Day {
  date: string;
  completions: number;
  points: number;
}

export interface Task {
  id: string;
  title: string;
  description: string | null;
  points: number;
  isDailyRoutine: boolean;
  challengeTemplate: { id: string } | null;
  today: { completions: number; lastCompletionId: string | null };
  streak: Streak;
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
    isDue: boolean;
  };
}

/** What decides when a day of the user begins and ends. */
export interface Zone {
  timeZone: string;
  dayStartsAt: number;
}

export interface User extends Zone {
  id: string;
  name: string;
  email: string;
  points: number;
  today: string;
  streak: Streak;
  activeChallenge: Challenge | null;
  calendar: Day[];
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
  templates: Template[];
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
  /** It may have been counted: taking it away here would not undo it. */
  isSent: boolean;
  /** To be undone as soon as the service has confirmed it. */
  isUndone: boolean;
  /** To be counted when it arrives, not when it was done: that was too long ago, and the person said so. */
  countsOnArrival: boolean;
  refusal: { reason: string; message: string } | null;
}
