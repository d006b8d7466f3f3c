import 'reflect-metadata';
import { isRealDay } from '../../base/clock.js';
import {
  Clearable,
  Flag,
  IdempotencyKey,
  isLongerThan,
  limits,
  OneOf,
  rule,
  Text,
  textRule,
  whole,
} from '../../base/validation.js';
import { TodayFilter } from '../habits/task.input.js';
import { Amount } from '../schedules/habit-rules.js';
import { scheduleLimits } from '../schedules/limits.js';
import { Period } from '../schedules/schedule.js';
import { agentLimits } from './limits.js';

/** An id as a number or as text, or a title. */
const HabitName = () =>
  rule('habit', { type: ['string', 'integer'] }, (value) => {
    if (Number.isInteger(value)) return undefined;
    const isName = typeof value === 'string' && value.trim() !== '' && !isLongerThan(value, limits.title);
    return isName ? undefined : 'must be an id or a title';
  });

/** An id, as a number or as text. */
const IdText = () =>
  rule('idText', { type: ['string', 'integer'] }, (value) =>
    Number.isInteger(value) || (typeof value === 'string' && /^\d{1,16}$/.test(value))
      ? undefined
      : 'must be an id',
  );

const dayProblem = (text: string) => (isRealDay(text) ? undefined : 'must be a real day, such as 2026-11-21');

const DAY_SCHEMA = { format: 'date' };

const CalendarDay = () => textRule('calendarDay', DAY_SCHEMA, dayProblem);

/** With these nobody has to know which day it is for the user. */
const DAYS_IN_WORDS = ['today', 'yesterday'];

const DayInWords = () =>
  textRule('dayInWords', {}, (text) => (DAYS_IN_WORDS.includes(text) ? undefined : dayProblem(text)));

const Rows = () => whole('rows', { min: 1, max: agentLimits.rows }, `from 1 to ${agentLimits.rows}`);

class OfHabit {
  @HabitName()
  habit!: string | number;
}

class OfSomeHabit {
  @Clearable()
  @HabitName()
  habit?: string | number | null;
}

class Page {
  @Clearable()
  @Rows()
  first?: number | null;

  @Clearable()
  @IdText()
  after?: string | number | null;
}

export class TodayArgs extends Page {
  @Clearable()
  @OneOf(Object.keys(TodayFilter))
  show?: TodayFilter | null;

  @Clearable()
  @Text({ max: scheduleLimits.section })
  section?: string | null;

  @Clearable()
  @Text({ max: scheduleLimits.tag })
  tag?: string | null;
}

export class CompleteArgs extends OfHabit {
  @Clearable()
  @Amount()
  amount?: number | null;

  @Clearable()
  @Text({ max: limits.note })
  note?: string | null;

  @Clearable()
  @DayInWords()
  day?: string | null;

  @Clearable()
  @IdempotencyKey()
  key?: string | null;

  @Clearable()
  @Flag()
  once?: boolean | null;
}

export class UndoArgs extends OfSomeHabit {
  @Clearable()
  @IdText()
  completionId?: string | number | null;
}

export class SkipArgs extends OfHabit {
  @Clearable()
  @DayInWords()
  day?: string | null;

  @Clearable()
  @Text({ max: limits.note })
  note?: string | null;

  @Clearable()
  @Flag()
  takeBack?: boolean | null;
}

export class HistoryArgs extends OfSomeHabit {
  @Clearable()
  @CalendarDay()
  from?: string | null;

  @Clearable()
  @CalendarDay()
  to?: string | null;

  @Clearable()
  @Rows()
  first?: number | null;

  @Clearable()
  @IdText()
  after?: string | number | null;
}

export class StatisticsArgs extends HistoryArgs {
  @Clearable()
  @whole('days', { min: 1, max: limits.rangeDays }, `from 1 to ${limits.rangeDays}`)
  last?: number | null;

  @Clearable()
  @OneOf(Object.keys(Period))
  by?: Period | null;
}

/** Beside the input of a new task. */
export class CreationArgs {
  @Clearable()
  @IdempotencyKey()
  key?: string | null;
}

export class ExplainArgs extends OfSomeHabit {}
