import 'reflect-metadata';
import { ArgsType, Field, Float, ID, InputType } from 'type-graphql';
import { PageArgs } from '../graphql/connection.js';
import {
  Clearable,
  Flag,
  Id,
  IdempotencyKey,
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
