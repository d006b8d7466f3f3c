import { getMetadataStorage } from 'type-graphql';
import { Session } from '../accounts/account.payloads.js';
import type { Account } from '../accounts/account.queries.js';
import type { SignedIn } from '../accounts/account.service.js';
import { User } from '../accounts/user.entity.js';
import { Challenge, ChallengeStatus } from '../challenges/challenge.entity.js';
import type { ListedChallenge } from '../challenges/challenge.queries.js';
import { ChallengeTemplate } from '../challenges/template.entity.js';
import type { CheckedIn } from '../check-in/check-in.service.js';
import { CheckInLink } from '../check-in/check-in-link.entity.js';
import { isoOf } from '../clock.js';
import { Completion } from '../completions/completion.entity.js';
import type { CompletionRow } from '../completions/completion-list.queries.js';
import type { Chunk } from '../database/page.js';
import type { ImportCounts } from '../takeout/import.service.js';
import { Task } from '../tasks/task.entity.js';
import type { PlainTask } from '../tasks/task.queries.js';
import type { JsonSchema } from '../validation.js';

type Class = abstract new (...parameters: never[]) => object;

const storage = getMetadataStorage();

/** What GraphQL says about a class of objects or inputs. Both APIs say the same. */
export const descriptionOf = (type: Class): string | undefined =>
  [...storage.objectTypes, ...storage.inputTypes].find(({ target }) => target === type)?.description;

/** What GraphQL says about a property of such a class; undefined where GraphQL does not show it. */
export const propertyDescriptionOf = (type: Class, property: string): string | undefined =>
  storage.fields.find(({ target, name }) => target === type && name === property)?.description;

/** The JSON form of an answer: writes it as text, and describes it for the API document. */
export interface Serializer<Value> {
  write: (value: Value) => string;
  /** With a `title`, it is described once and referred to. */
  schema: JsonSchema;
}

/** A list that may be long: it is read and written part by part. */
export interface LongSerializer<Part> extends Serializer<Part> {
  /** Reads on; null at the last part. */
  next: (part: Part) => (() => Promise<Part>) | null;
}

export const isLong = <Value>(serializer: Serializer<Value>): serializer is LongSerializer<Value> =>
  'next' in serializer;

type Reader<Value, Kind> = (value: Value) => Kind;

/** A property has a description of its own where GraphQL does not show it. */
const field =
  <Kind>(schema: JsonSchema, write: (kind: Kind) => string) =>
  <Value>(read: Reader<Value, Kind>, description?: string): Serializer<Value> => ({
    schema: description === undefined ? schema : { ...schema, description },
    write: (value) => write(read(value)),
  });

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
const optionalNumber = optional<number>({ type: 'number' }, String);
const flag = field<boolean>({ type: 'boolean' }, String);
const instant = field<Date>(INSTANT, quotedIso);
const optionalInstant = optional<Date>(INSTANT, quotedIso);

/** An object with exactly these keys, in this order. GraphQL's class describes it and its properties. */
function objectOf<Value>(
  title: string,
  type: Class,
  fields: Record<string, Serializer<Value>>,
  description = descriptionOf(type),
): Serializer<Value> {
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
      description,
      type: 'object',
      properties: Object.fromEntries(
        Object.entries(fields).map(([key, { schema }]) => [key, describedBy(type, key, schema)]),
      ),
      required: Object.keys(fields),
      additionalProperties: false,
    },
  };
}

/** A schema with a title describes itself. */
const describedBy = (type: Class, key: string, schema: JsonSchema): JsonSchema =>
  'title' in schema ? schema : { description: propertyDescriptionOf(type, propertyOf(key)), ...schema };

/** `created_at` → `createdAt` */
const propertyOf = (key: string) => key.replaceAll(/_(\w)/g, (_all, letter) => letter.toUpperCase());

const inside = <Value, Part>(read: Reader<Value, Part>, part: Serializer<Part>): Serializer<Value> => ({
  write: (value) => part.write(read(value)),
  schema: part.schema,
});

const arrayOf = <Value>(values: Value[], { write }: Serializer<Value>) => `[${values.map(write).join(',')}]`;

export const listOf = <Value>(item: Serializer<Value>): Serializer<Value[]> => ({
  write: (values) => arrayOf(values, item),
  schema: { type: 'array', items: item.schema },
});

export const longListOf = <Value>(item: Serializer<Value>): LongSerializer<Chunk<Value>> => ({
  write: ({ rows }) => arrayOf(rows, item),
  next: ({ next }) => next,
  schema: listOf(item).schema,
});

export const orNull = <Value>(item: Serializer<Value>): Serializer<Value | null> => ({
  write: (value) => (value === null ? 'null' : item.write(value)),
  schema: { anyOf: [item.schema, { type: 'null' }] },
});

const OWNER = 'The id of the user who owns it.';

export const userSerializer = objectOf<Account>('User', User, {
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

const signedInUserSerializer = objectOf<Account>('SignedInUser', User, {
  id: uuid((user) => user.id),
  name: text((user) => user.name),
  email: text((user) => user.email),
  points: number((user) => user.points),
  current_streak: whole((user) => user.currentStreak),
  max_streak: whole((user) => user.maxStreak),
});

export const signedInSerializer = objectOf<SignedIn>('SignedIn', Session, {
  token: text((signedIn) => signedIn.token),
  user: inside((signedIn) => signedIn.user, signedInUserSerializer),
});

export const taskSerializer = objectOf<PlainTask>('Task', Task, {
  id: whole((task) => task.id),
  user_id: uuid((task) => task.userId, OWNER),
  challenge_template_id: optionalWhole(
    (task) => task.challengeTemplateId,
    'The id of the template that the task is linked to; null if there is none.',
  ),
  title: text((task) => task.title),
  description: optionalText((task) => task.description),
  points: number((task) => task.points),
  is_daily_routine: flag((task) => task.isDailyRoutine),
  created_at: instant((task) => task.createdAt),
  updated_at: instant((task) => task.updatedAt),
});

export const countedTaskSerializer = objectOf<PlainTask>(
  'CountedTask',
  Task,
  {
    task: inside((task) => task, taskSerializer),
    completion_count: whole((task) => task.completionCount),
  },
  'A task, and how many times it has been completed.',
);

export const completionSerializer = objectOf<CompletionRow>('TaskCompletion', Completion, {
  id: whole((completion) => completion.id),
  task_id: whole((completion) => completion.taskId, 'The id of the task that was done.'),
  user_id: uuid((completion) => completion.userId, 'The id of the user who did it.'),
  completed_at: instant((completion) => completion.completedAt),
});

const shownTemplateFields = {
  id: whole((template: ChallengeTemplate) => template.id),
  title: text((template: ChallengeTemplate) => template.title),
  description: text((template: ChallengeTemplate) => template.description),
  duration_days: whole((template: ChallengeTemplate) => template.durationDays),
};

const shownTemplateSerializer = objectOf('ShownTemplate', ChallengeTemplate, shownTemplateFields);

export const templateSerializer = objectOf<ChallengeTemplate>('ChallengeTemplate', ChallengeTemplate, {
  ...shownTemplateFields,
  created_at: instant((template) => template.createdAt),
  updated_at: instant((template) => template.updatedAt),
});

const challengeFields = {
  id: whole((challenge: Challenge) => challenge.id),
  user_id: uuid((challenge: Challenge) => challenge.userId, OWNER),
  template_id: whole(
    (challenge: Challenge) => challenge.templateId,
    'The id of the template that was accepted.',
  ),
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

export const challengeSerializer = objectOf<Challenge>('UserChallenge', Challenge, challengeFields);

export const listedChallengeSerializer = objectOf<ListedChallenge>('ListedUserChallenge', Challenge, {
  ...challengeFields,
  template: inside((challenge) => challenge.template, shownTemplateSerializer),
});

const countsSerializer = objectOf<ImportCounts>(
  'ImportCounts',
  Object,
  {
    tasks: whole((counts) => counts.tasks, 'The number of tasks.'),
    challenges: whole((counts) => counts.challenges, 'The number of challenges.'),
    completions: whole((counts) => counts.completions, 'The number of completions.'),
  },
  'What was imported.',
);

/** An export of Steady leaves nothing out, and its answer has no such list. */
export const importCountsSerializer: Serializer<ImportCounts> = {
  write: (counts) => {
    const json = countsSerializer.write(counts);
    return counts.leftOut ? `${json.slice(0, -1)},"left_out":${JSON.stringify(counts.leftOut)}}` : json;
  },
  schema: {
    ...countsSerializer.schema,
    properties: {
      ...(countsSerializer.schema.properties as JsonSchema),
      left_out: {
        type: 'array',
        items: TEXT,
        description: 'Only for a file of another app: a line for everything in it that Steady has not taken.',
      },
    },
  },
};

/** `amount` is what the day's amounts add up to. */
export const checkedInSerializer = objectOf<CheckedIn>(
  'CheckedIn',
  CheckInLink,
  {
    task: text(({ task }) => task.title, 'The name of the task.'),
    day: text(({ day }) => day, "The user's day that the link is for."),
    done: flag(({ today }) => today.state === 'KEPT', 'Whether the goal of the day is reached.'),
    amount: number(({ today }) => today.amount, 'What the amounts of the day add up to.'),
    target: optionalNumber(
      ({ task }) => task.targetAmount,
      'What they must add up to; null without a target.',
    ),
    unit: optionalText(({ task }) => task.targetUnit, 'The unit of the target; null without a target.'),
    streak: whole(({ streak }) => streak.count, 'How long the run of the task is.'),
    counted: flag(({ counted }) => counted, 'Whether something was recorded just now.'),
  },
  'How the task of a check-in link stands.',
);
