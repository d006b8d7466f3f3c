import 'reflect-metadata';
import { Field, InputType, ObjectType } from 'type-graphql';
import { Clearable, rule, TIME_OF_DAY } from '../../base/validation.js';
import { TimeOfDay } from '../../graphql/scalars.js';
import { EVERY_WEEKDAY, minuteOf, type StoredReminder } from '../schedules/reminder.queries.js';
import { bitsOf, WEEKDAYS, Weekday } from '../schedules/schedule.js';
import { habitLimits } from './limits.js';

@ObjectType('Reminder', {
  simpleResolvers: true,
  description: 'A time at which the user is reminded of a task.',
})
export class TaskReminder {
  @Field(() => TimeOfDay, { description: "The time, on the user's clock." })
  at!: string;

  @Field(() => [Weekday], {
    description: "The weekdays of the user's days on which the reminder is sent; all seven for every day.",
  })
  weekdays!: Weekday[];
}

@InputType({ description: 'A time at which to be reminded of a task.' })
export class ReminderInput {
  @Field(() => TimeOfDay, { description: 'The time, on your clock.' })
  at!: string;

  @Field(() => [Weekday], {
    nullable: true,
    description: 'The weekdays on which the reminder is sent; null means all seven.',
  })
  weekdays?: Weekday[] | null;
}

export const timeOf = (minute: number): string =>
  [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, '0')).join(':');

export const storedReminder = ({ at, weekdays }: ReminderInput): StoredReminder => ({
  minute: minuteOf(at),
  weekdays: weekdays ? bitsOf(weekdays) : EVERY_WEEKDAY,
});

function problemOf(value: unknown): string | undefined {
  if (!Array.isArray(value)) return 'must be a list';
  if (value.length > habitLimits.reminders) return `must be at most ${habitLimits.reminders}`;
  for (const each of value) {
    const { at, weekdays } = (each ?? {}) as Partial<Record<keyof ReminderInput, unknown>>;
    if (typeof at !== 'string' || !TIME_OF_DAY.test(at)) return 'must have times such as 08:30';
    if (weekdays === null || weekdays === undefined) continue;
    const isWeek = Array.isArray(weekdays) && weekdays.every((day) => WEEKDAYS.includes(day));
    if (!isWeek || weekdays.length === 0) return 'must name at least one weekday';
  }
  const texts = (value as ReminderInput[]).map((each) => JSON.stringify(storedReminder(each)));
  return new Set(texts).size < texts.length ? 'must not have two that are alike' : undefined;
}

/** All of it, since a file that is imported has passed no types of GraphQL. */
export const RemindersField =
  (description: string): PropertyDecorator =>
  (target, property) => {
    Field(() => [ReminderInput], { nullable: true, description })(target, property);
    Clearable()(target, property);
    rule('reminders', { type: 'array', maxItems: habitLimits.reminders }, problemOf)(target, property);
  };
