import 'reflect-metadata';
import { ArgsType, Field, Float, ID, InputType } from 'type-graphql';
import { PageArgs } from '../graphql/connection.js';
import { CalendarDate } from '../graphql/scalars.js';
import type { Day } from '../streaks/day.js';
import {
  Clearable,
  Flag,
  Id,
  IdempotencyKey,
  Instant,
  limits,
  Omittable,
  Points,
  Text,
  written,
} from '../validation.js';

@ArgsType()
export class TasksArgs extends PageArgs {
  @Field(() => Boolean, {
    nullable: true,
    defaultValue: false,
    description: 'False: those in use; true: those put away; null: all.',
  })
  @Clearable()
  @Flag()
  archived?: boolean | null;
}

@InputType({ description: 'A task to create.' })
export class CreateTaskInput {
  @Field({ description: `The display name, not blank, at most ${written(limits.title)} characters.` })
  @Text({ max: limits.title, blank: false, controls: false })
  title!: string;

  @Field(() => Float, {
    nullable: true,
    description: `The points that a completion earns: more than 0, at most ${written(limits.points)}.`,
  })
  @Omittable()
  @Points()
  points: number = 10;

  @Field(() => String, {
    nullable: true,
    description: `Free text, at most ${written(limits.description)} characters.`,
  })
  @Clearable()
  @Text({ max: limits.description })
  description?: string | null;

  @Field(() => Boolean, { nullable: true, description: 'A label only; it schedules nothing.' })
  @Omittable()
  @Flag()
  isDailyRoutine: boolean = false;

  @Field(() => ID, {
    nullable: true,
    description: 'Link the task to this template. You must have an ACTIVE challenge based on it.',
  })
  @Clearable()
  @Id()
  challengeTemplateId?: number | null;
}

/** In GraphQL. REST is as specified, and has keys for completions alone. */
@ArgsType()
export class CreateTaskArgs {
  @Field(() => String, {
    nullable: true,
    description: 'Makes a retry safe: the same key again creates nothing and returns the first task.',
  })
  @Clearable()
  @IdempotencyKey()
  idempotencyKey?: string | null;
}

@InputType({ description: 'Only the fields that are given change.' })
export class UpdateTaskInput {
  @Field(() => String, { nullable: true, description: 'The new display name.' })
  @Omittable()
  @Text({ max: limits.title, blank: false, controls: false })
  title?: string;

  @Field(() => String, {
    nullable: true,
    description: `Free text, at most ${written(limits.description)} characters; null clears it.`,
  })
  @Clearable()
  @Text({ max: limits.description })
  description?: string | null;

  @Field(() => Float, { nullable: true, description: 'The points that a completion earns from now on.' })
  @Omittable()
  @Points()
  points?: number;

  @Field(() => Boolean, { nullable: true, description: 'A label only; it schedules nothing.' })
  @Omittable()
  @Flag()
  isDailyRoutine?: boolean;
}

@ArgsType()
export class CompleteTaskInput {
  @Field(() => ID, { description: 'The task that was done.' })
  @Id()
  taskId!: number;

  @Field(() => String, {
    nullable: true,
    description: 'Makes a retry safe: the same key again records nothing and returns the first completion.',
  })
  @Clearable()
  @IdempotencyKey()
  idempotencyKey?: string | null;
}

const AT =
  'When the task was done: not in the future, and no longer ago than the service allows (its setting BACKDATE_HOURS). Without it: now.';

/** In GraphQL. REST records what is done now, and ignores the field as any that it does not know. */
@ArgsType()
export class CompleteTaskAtInput extends CompleteTaskInput {
  @Field(() => Date, { nullable: true, description: AT })
  @Clearable()
  @Instant()
  at?: Date | null;
}

@InputType({ description: 'One of several completions to record at once.' })
export class CompletionInput {
  @Field(() => ID, { description: 'The task that was done.' })
  @Id()
  taskId!: number;

  @Field(() => String, {
    description: 'Makes a retry safe: the same key again records nothing and returns the first completion.',
  })
  @IdempotencyKey()
  idempotencyKey!: string;

  @Field(() => Date, { nullable: true, description: AT })
  @Clearable()
  @Instant()
  at?: Date | null;
}

@ArgsType()
export class CompletionsArgs extends PageArgs {
  @Field(() => CalendarDate, {
    nullable: true,
    description: 'The first of your days to include; null: from the beginning.',
  })
  from?: Day | null;

  @Field(() => CalendarDate, {
    nullable: true,
    description: 'The last of your days to include; null: to the end.',
  })
  to?: Day | null;

  @Field(() => ID, { nullable: true, description: 'Only completions of this task; null: of all tasks.' })
  @Clearable()
  @Id()
  taskId?: number | null;
}
