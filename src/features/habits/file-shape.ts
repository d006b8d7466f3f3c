import { objectOf, orNull, type Said, type Shape } from '../../base/carried-schema.js';
import { TIME_OF_DAY } from '../../base/validation.js';
import { AT } from '../../rest/route.js';
import { meaningOfTitle } from '../challenges/carried.js';
import { scheduleLimits } from '../schedules/limits.js';
import { Period, WEEKDAYS } from '../schedules/schedule.js';
import { TargetKind, TargetPeriod } from '../schedules/target.js';
import { habitLimits } from './limits.js';

// How docs/export.schema.json describes a task, beside its rules.

const oneOf = (known: object): Shape => ({ enum: Object.values(known) });

const weekdays: Shape = { type: 'array', minItems: 1, items: oneOf(WEEKDAYS) };

const reminder = objectOf(
  { at: { type: 'string', pattern: TIME_OF_DAY.source }, weekdays: orNull(weekdays) },
  ['at'],
);

const { everyDays, timesPerMonth, amount, unit } = scheduleLimits;

const times = objectOf(
  { times: { type: 'integer', minimum: 1, maximum: timesPerMonth }, per: oneOf(Period) },
  ['times', 'per'],
);

const schedule = objectOf({
  weekdays,
  every: {
    description: 'In days; 1 is every day.',
    ...{ type: 'integer', minimum: everyDays.min, maximum: everyDays.max },
  },
  times,
});

const target = objectOf(
  {
    amount: { description: '0 only for a limit.', type: 'number', minimum: 0, maximum: amount },
    unit: { type: 'string', minLength: 1, maxLength: unit },
    kind: orNull(oneOf(TargetKind)),
    per: orNull(oneOf(TargetPeriod)),
  },
  ['amount', 'unit'],
);

export const saidOfTask: Said = {
  id: 'Names the task in completions.',
  challengeTemplateTitle: meaningOfTitle,
  archivedAt: 'Null: in use.',
  madeOn: 'The day of the user on which it was made.',
  archivedOn: 'The day of the user since which it is archived.',
  points: 'In an import 10, if it is left out.',
  isDailyRoutine: 'In an import false, if it is left out.',
  schedule: {
    description: 'Exactly one of the three. All seven weekdays, or in an import null: every day.',
    ...orNull(schedule),
  },
  hasGraceDay:
    'Of every so many days: whether one day late is in time. In an import false, if it is left out.',
  target: {
    description:
      'What completions must add up to, or for a limit (AT_MOST) may; null: one completion will do. Without kind it is AT_LEAST, without per a DAY.',
    ...orNull(target),
  },
  step: 'What one tap adds to the target; null: 1, or what remains.',
  icon: 'One character or emoji.',
  reminders: {
    description: 'When the task is asked for.',
    ...orNull({ type: 'array', maxItems: habitLimits.reminders, items: reminder }),
  },
  section: 'Null: none.',
};

export const taskExample = {
  id: 1,
  challengeTemplateId: null,
  title: 'Swim 1 km',
  description: 'Before breakfast',
  points: 15,
  isDailyRoutine: false,
  createdAt: AT,
  updatedAt: AT,
  archivedAt: null,
  madeOn: '2026-11-21',
  archivedOn: null,
  hasGraceDay: false,
  step: null,
  colour: null,
  icon: null,
  challengeTemplateTitle: null,
  schedule: { weekdays: ['MONDAY', 'WEDNESDAY', 'FRIDAY'] },
  target: null,
  tags: ['sport'],
  section: null,
  reminders: [{ at: '07:30', weekdays: ['MONDAY', 'WEDNESDAY', 'FRIDAY'] }],
  checkInLinks: [],
};
