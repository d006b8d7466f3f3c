import { shared } from '../../base/carried-schema.js';
import { AT } from '../../rest/route.js';

export const taskFields = {
  id: { description: 'Names the task in completions.', type: 'integer', minimum: 1 },
  reminders: {
    description: 'When the task is asked for.',
    type: ['array', 'null'],
    items: {
      type: 'object',
      required: ['at'],
      additionalProperties: false,
      properties: { at: shared.time, weekdays: { type: ['array', 'null'], items: shared.weekday } },
    },
  },
  title: { type: 'string' },
  description: { type: ['string', 'null'] },
  points: { description: 'In an import 10, if it is left out.', type: 'number', exclusiveMinimum: 0 },
  isDailyRoutine: { description: 'In an import false, if it is left out.', type: 'boolean' },
  challengeTemplateId: { type: ['integer', 'null'], minimum: 1 },
  challengeTemplateTitle: {
    description: 'By which another server finds the template; earlier releases wrote the id alone.',
    type: ['string', 'null'],
  },
  createdAt: shared.instant,
  updatedAt: shared.instant,
  archivedAt: { description: 'Null: in use.', ...shared.instantOrNull },
  schedule: {
    description: 'Exactly one of the three. All seven weekdays, or in an import null: every day.',
    type: ['object', 'null'],
    additionalProperties: false,
    properties: {
      weekdays: { type: 'array', minItems: 1, items: shared.weekday },
      every: { description: 'In days; 1 is every day.', type: 'integer', minimum: 1, maximum: 365 },
      times: {
        type: 'object',
        required: ['times', 'per'],
        additionalProperties: false,
        properties: { times: { type: 'integer', minimum: 1, maximum: 31 }, per: { enum: ['WEEK', 'MONTH'] } },
      },
    },
  },
  hasGraceDay: {
    description:
      'Of every so many days: whether one day late is in time. In an import false, if it is left out.',
    type: 'boolean',
  },
  target: {
    description:
      'What completions must add up to, or for a limit (AT_MOST) may; null: one completion will do. Without kind it is AT_LEAST, without per a DAY.',
    type: ['object', 'null'],
    required: ['amount', 'unit'],
    additionalProperties: false,
    properties: {
      amount: { description: '0 only for a limit.', type: 'number', minimum: 0 },
      unit: { type: 'string' },
      kind: { enum: ['AT_LEAST', 'AT_MOST', null] },
      per: { enum: ['DAY', 'WEEK', 'MONTH', null] },
    },
  },
  step: {
    description: 'What one tap adds to the target; null: 1, or what remains.',
    type: ['number', 'null'],
    exclusiveMinimum: 0,
  },
  colour: {
    enum: [
      'RED',
      'ORANGE',
      'AMBER',
      'LIME',
      'GREEN',
      'TEAL',
      'CYAN',
      'BLUE',
      'INDIGO',
      'VIOLET',
      'PINK',
      'GREY',
      null,
    ],
  },
  icon: { description: 'One character or emoji.', type: ['string', 'null'] },
  tags: { type: ['array', 'null'], maxItems: 8, items: { type: 'string' } },
  section: { description: 'Null: none.', type: ['string', 'null'] },
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
