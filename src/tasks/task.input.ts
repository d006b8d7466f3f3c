import 'reflect-metadata';
import { ArgsType, Field, Float, ID, InputType, registerEnumType } from 'type-graphql';
import { PageArgs } from '../graphql/connection.js';
import { IconField, ScheduleField, SectionField, TagsField, TargetField } from '../schedules/fields.js';
import type { ScheduleInput, TargetInput } from '../schedules/schedule.input.js';
import {
  Clearable,
  Flag,
  Id,
  IdempotencyKey,
  limits,
  Omittable,
  OneOf,
  Points,
  Text,
  written,
} from '../validation.js';
import { Colour } from './colour.js';
import { type ReminderInput, RemindersField } from './reminder.input.js';

export const TaskDay = { OPEN: 'OPEN', KEPT: 'KEPT', DUE: 'DUE', NOT_DUE: 'NOT_DUE' } as const;
export type TaskDay = keyof typeof TaskDay;

registerEnumType(TaskDay, {
  name: 'TaskDay',
  description: "How a task stands on the user's day today. Several of these can be true of one task.",
  valuesConfig: {
    OPEN: { description: 'The task asks for something now.' },
    KEPT: { description: 'The task has been kept today.' },
    DUE: {
      description:
        'The schedule has the task today, kept or not. A task that is skipped or paused today is left out unless it is kept.',
    },
    NOT_DUE: { description: 'The task is not DUE today.' },
  },
});

@ArgsType()
export class TasksArgs extends PageArgs {
  @Field(() => Boolean, {
    nullable: true,
    defaultValue: false,
    description: 'False: tasks in use. True: archived tasks. Null: both.',
  })
  @Clearable()
  @Flag()
  archived?: boolean | null;

  @Field(() => TaskDay, {
    nullable: true,
    description: "Only tasks that stand so on the user's day today; null means all.",
  })
  @Clearable()
  @OneOf(Object.keys(TaskDay))
  today?: TaskDay | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'True: tasks that ask for something today. False: tasks that do not. Null: both.',
    deprecationReason: 'Since 2026-11-26: use today, with OPEN for true.',
  })
  @Clearable()
  @Flag()
  due?: boolean | null;

  @Field(() => String, {
    nullable: true,
    description: 'Only tasks with this tag, in upper or lower case; null means all.',
  })
  @Clearable()
  @Text({ max: limits.tag })
  tag?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Only tasks of this section, in upper or lower case; null means all.',
  })
  @Clearable()
  @Text({ max: limits.section })
  section?: string | null;
}

@ArgsType()
export class MoveTaskArgs {
  @Field(() => ID, { description: 'The task to move.' })
  @Id()
  id!: number;

  @Field(() => ID, {
    nullable: true,
    description: 'The task behind which it goes; null means the top of the list.',
  })
  @Clearable()
  @Id()
  after?: number | null;

  @SectionField(
    'The section that the task goes to; null means none. Without this argument, the task stays in its section.',
  )
  section?: string | null;
}

@ArgsType()
export class RenameSectionArgs {
  @Field({ description: 'The section to rename, in upper or lower case.' })
  @Text({ max: limits.section })
  from!: string;

  @SectionField('The new name of the section; null means that its tasks are in no section any more.')
  to?: string | null;
}

/** What both APIs can create. GraphQL knows the input below by this name. */
@InputType('CommonTaskInput', { description: 'A task to create.' })
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

  @Field(() => Boolean, {
    nullable: true,
    description: 'A label for your own use. It has no effect on the schedule.',
  })
  @Omittable()
  @Flag()
  isDailyRoutine: boolean = false;

  @Field(() => ID, {
    nullable: true,
    description: 'The template to link the task to. You must have an ACTIVE challenge based on it.',
  })
  @Clearable()
  @Id()
  challengeTemplateId?: number | null;
}

const SECTION = `The heading under which the task stands in the list: 1 to ${limits.section} characters.`;

const TAGS = `At most ${limits.tags} words of 1 to ${limits.tag} characters, no two alike.`;

/** In GraphQL. REST knows tasks that are due every day, and ignores the fields as any that it does not know. */
@InputType('CreateTaskInput', { description: 'A task to create.' })
export class CreateHabitInput extends CreateTaskInput {
  @ScheduleField('When the task is due. Without a schedule, it is due every day.')
  schedule?: ScheduleInput | null;

  @TargetField(
    'The amount that completions must reach, or for a limit must not exceed. Without a target, one completion is enough.',
  )
  target?: TargetInput | null;

  @Field(() => Colour, { nullable: true, description: 'Its colour.' })
  @Clearable()
  @OneOf(Object.keys(Colour))
  colour?: Colour | null;

  @IconField('One emoji or other character.')
  icon?: string | null;

  @TagsField(TAGS)
  tags?: string[] | null;

  @RemindersField(`The times at which to be reminded of the task: at most ${limits.reminders}.`)
  reminders?: ReminderInput[] | null;

  @SectionField(`${SECTION} A section that is there already keeps its spelling.`)
  section?: string | null;
}

/** In GraphQL. REST is as specified, and has keys for completions alone. */
@ArgsType()
export class CreateTaskArgs {
  @Field(() => String, {
    nullable: true,
    description:
      'The key makes a retry safe: the same key and input again create nothing, and return the first task. The same key with another input is refused.',
  })
  @Clearable()
  @IdempotencyKey()
  idempotencyKey?: string | null;
}

/** What both APIs can change. GraphQL knows the input below by this name. */
@InputType('CommonTaskChanges', { description: 'Only the fields that are given change.' })
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

  @Field(() => Boolean, {
    nullable: true,
    description: 'A label for your own use. It has no effect on the schedule.',
  })
  @Omittable()
  @Flag()
  isDailyRoutine?: boolean;
}

/** In GraphQL, as `CreateHabitInput`. */
@InputType('UpdateTaskInput', { description: 'Only the fields that are given change.' })
export class UpdateHabitInput extends UpdateTaskInput {
  @ScheduleField('When the task is due; null means every day.')
  schedule?: ScheduleInput | null;

  @TargetField(
    'The amount that completions must reach, or for a limit must not exceed. Null means that one completion is enough.',
  )
  target?: TargetInput | null;

  @Field(() => Colour, { nullable: true, description: 'Its colour; null clears it.' })
  @Clearable()
  @OneOf(Object.keys(Colour))
  colour?: Colour | null;

  @IconField('One emoji or other character; null clears it.')
  icon?: string | null;

  @TagsField(`${TAGS} Null clears them.`)
  tags?: string[] | null;

  @RemindersField(
    `The times at which to be reminded of the task: at most ${limits.reminders}. They replace the earlier ones; an empty list clears them, and null leaves them.`,
  )
  reminders?: ReminderInput[] | null;

  @SectionField(`${SECTION} Null clears it.`)
  section?: string | null;

  @Field(() => ID, {
    nullable: true,
    description:
      'The template to link the task to. You must have an ACTIVE challenge based on it, unless the task is linked to it already. Null ends the link.',
  })
  @Clearable()
  @Id()
  challengeTemplateId?: number | null;
}
