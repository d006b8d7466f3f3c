import type { Account } from '../accounts/account.queries.js';
import type { SignedIn } from '../accounts/account.service.js';
import { type Challenge, ChallengeStatus } from '../challenges/challenge.entity.js';
import type { ListedChallenge } from '../challenges/challenge.queries.js';
import type { ChallengeTemplate } from '../challenges/template.entity.js';
import { isoOf } from '../clock.js';
import type { Chunk } from '../database/chunk.js';
import type { CompletionRow, TaskRow } from '../tasks/task.queries.js';
import type { JsonSchema } from '../validation.js';

/** The JSON form of an answer: writes it as text, and describes it for the API document. */
export interface Shape<Value> {
  write: (value: Value) => string;
  /** With a `title`, it is described once and referred to. */
  schema: JsonSchema;
}

/** A list that may be long: it is read and written part by part. */
export interface LongShape<Part> extends Shape<Part> {
  /** Reads on; null at the last part. */
  next: (part: Part) => (() => Promise<Part>) | null;
}

export const isLong = <Value>(shape: Shape<Value>): shape is LongShape<Value> => 'next' in shape;

type Reader<Value, Kind> = (value: Value) => Kind;

const field =
  <Kind>(schema: JsonSchema, write: (kind: Kind) => string) =>
  <Value>(read: Reader<Value, Kind>): Shape<Value> => ({ schema, write: (value) => write(read(value)) });

const optional = <Kind>(schema: JsonSchema, write: (kind: Kind) => string) =>
  field<Kind | null>({ ...schema, type: [schema.type, 'null'] }, (kind) =>
    kind === null ? 'null' : write(kind),
  );

const TEXT = { type: 'string' };
const WHOLE = { type: 'integer' };
const INSTANT = { type: 'string', format: 'date-time' };
const quoted = (text: string): string => JSON.stringify(text);
const quotedIso = (instant: Date) => `"${isoOf(instant)}"`;

const text = field<string>(TEXT, quoted);
const optionalText = optional<string>(TEXT, quoted);
const uuid = field<string>({ type: 'string', format: 'uuid' }, quoted);
const whole = field<number>(WHOLE, String);
const optionalWhole = optional<number>(WHOLE, String);
const number = field<number>({ type: 'number' }, String);
const flag = field<boolean>({ type: 'boolean' }, String);
const instant = field<Date>(INSTANT, quotedIso);
const optionalInstant = optional<Date>(INSTANT, quotedIso);

/** An object with exactly these keys, in this order. */
function shape<Value>(title: string, fields: Record<string, Shape<Value>>): Shape<Value> {
  const writers = Object.entries(fields).map(
    ([key, { write }], at) => [`${at === 0 ? '{' : ','}${quoted(key)}:`, write] as const,
  );
  return {
    write: (value) => {
      let json = '';
      for (const [key, write] of writers) json += key + write(value);
      return `${json}}`;
    },
    schema: {
      title,
      type: 'object',
      properties: Object.fromEntries(Object.entries(fields).map(([key, { schema }]) => [key, schema])),
      required: Object.keys(fields),
      additionalProperties: false,
    },
  };
}

const inside = <Value, Part>(read: Reader<Value, Part>, part: Shape<Part>): Shape<Value> => ({
  write: (value) => part.write(read(value)),
  schema: part.schema,
});

const arrayOf = <Value>(values: Value[], { write }: Shape<Value>) => `[${values.map(write).join(',')}]`;

export const listOf = <Value>(item: Shape<Value>): Shape<Value[]> => ({
  write: (values) => arrayOf(values, item),
  schema: { type: 'array', items: item.schema },
});

export const longListOf = <Value>(item: Shape<Value>): LongShape<Chunk<Value>> => ({
  write: ({ rows }) => arrayOf(rows, item),
  next: ({ next }) => next,
  schema: listOf(item).schema,
});

export const orNull = <Value>(item: Shape<Value>): Shape<Value | null> => ({
  write: (value) => (value === null ? 'null' : item.write(value)),
  schema: { anyOf: [item.schema, { type: 'null' }] },
});

export const userShape = shape<Account>('User', {
  id: uuid((user) => user.id),
  name: text((user) => user.name),
  email: text((user) => user.email),
  profile_picture: optionalText((user) => user.profilePicture),
  points: number((user) => user.points),
  current_streak: whole((user) => user.currentStreak),
  max_streak: whole((user) => user.maxStreak),
  created_at: instant((user) => user.createdAt),
  updated_at: instant((user) => user.updatedAt),
});

const signedInUserShape = shape<Account>('SignedInUser', {
  id: uuid((user) => user.id),
  name: text((user) => user.name),
  email: text((user) => user.email),
  points: number((user) => user.points),
  current_streak: whole((user) => user.currentStreak),
  max_streak: whole((user) => user.maxStreak),
});

export const signedInShape = shape<SignedIn>('SignedIn', {
  token: text((signedIn) => signedIn.token),
  user: inside((signedIn) => signedIn.user, signedInUserShape),
});

export const taskShape = shape<TaskRow>('Task', {
  id: whole((task) => task.id),
  user_id: uuid((task) => task.userId),
  challenge_template_id: optionalWhole((task) => task.challengeTemplateId),
  title: text((task) => task.title),
  description: optionalText((task) => task.description),
  points: number((task) => task.points),
  is_daily_routine: flag((task) => task.isDailyRoutine),
  created_at: instant((task) => task.createdAt),
  updated_at: instant((task) => task.updatedAt),
});

export const countedTaskShape = shape<TaskRow>('CountedTask', {
  task: inside((task) => task, taskShape),
  completion_count: whole((task) => task.completionCount),
});

export const completionShape = shape<CompletionRow>('TaskCompletion', {
  id: whole((completion) => completion.id),
  task_id: whole((completion) => completion.taskId),
  user_id: uuid((completion) => completion.userId),
  completed_at: instant((completion) => completion.completedAt),
});

export const templateShape = shape<ChallengeTemplate>('ChallengeTemplate', {
  id: whole((template) => template.id),
  title: text((template) => template.title),
  description: text((template) => template.description),
  duration_days: whole((template) => template.durationDays),
  created_at: instant((template) => template.createdAt),
  updated_at: instant((template) => template.updatedAt),
});

const challengeFields = {
  id: whole((challenge: Challenge) => challenge.id),
  user_id: uuid((challenge: Challenge) => challenge.userId),
  template_id: whole((challenge: Challenge) => challenge.templateId),
  status: field<string>(
    { type: 'string', enum: Object.values(ChallengeStatus) },
    quoted,
  )((challenge: Challenge) => challenge.status),
  start_date: instant((challenge: Challenge) => challenge.startDate),
  completed_at: optionalInstant((challenge: Challenge) => challenge.completedAt),
  notes: optionalText((challenge: Challenge) => challenge.notes),
  created_at: instant((challenge: Challenge) => challenge.createdAt),
  updated_at: instant((challenge: Challenge) => challenge.updatedAt),
};

export const challengeShape = shape<Challenge>('UserChallenge', challengeFields);

const shownTemplateShape = shape<ChallengeTemplate>('ShownTemplate', {
  id: whole((template) => template.id),
  title: text((template) => template.title),
  description: text((template) => template.description),
  duration_days: whole((template) => template.durationDays),
});

export const listedChallengeShape = shape<ListedChallenge>('ListedUserChallenge', {
  ...challengeFields,
  template: inside((challenge) => challenge.template, shownTemplateShape),
});
