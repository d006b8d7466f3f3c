import 'reflect-metadata';
import { ArgsType, Field, Float, ID, InputType, registerEnumType } from 'type-graphql';
import {
  A_KEY,
  Clearable,
  Flag,
  Id,
  IdempotencyKey,
  limits,
  Omittable,
  OneOf,
  Text,
  written,
} from '../../base/validation.js';
import { PageArgs } from '../../graphql/connection.js';
import {
  IconField,
  SaidSectionField,
  ScheduleField,
  SectionField,
  TagsField,
  TargetField,
} from '../schedules/fields.js';
import { Amount } from '../schedules/habit-rules.js';
import { scheduleLimits } from '../schedules/limits.js';
import { Points } from '../schedules/points.js';
import { ScheduleInput, ScheduleRule, type TargetInput } from '../schedules/schedule.input.js';
import { Colour } from './colour.js';
import { habitLimits } from './limits.js';
import { type ReminderInput, RemindersField } from './reminder.input.js';

export const TodayFilter = {
  OPEN: 'OPEN',
  KEPT: 'KEPT',
  PLANNED: 'PLANNED',
  UNPLANNED: 'UNPLANNED',
} as const;
export type TodayFilter = keyof typeof TodayFilter;

registerEnumType(TodayFilter, {
  name: 'TodayFilter',
  description: "How a task stands on the user's day today. Several of these can be true of one task.",
  valuesConfig: {
    OPEN: { description: 'The task still asks for something.' },
    KEPT: { description: 'The goal of the day was met.' },
    PLANNED: {
      description:
        'The schedule has the task today, kept or not. A task that is skipped or paused today is left out unless it is kept.',
    },
    UNPLANNED: { description: 'All that is not PLANNED.' },
  },
});

export const ArchiveFilter = { IN_USE: 'IN_USE', ARCHIVED: 'ARCHIVED', ANY: 'ANY' } as const;
export type ArchiveFilter = keyof typeof ArchiveFilter;

registerEnumType(ArchiveFilter, {
  name: 'ArchiveFilter',
  description: 'Whether tasks in use are meant, or archived ones.',
  valuesConfig: {
    IN_USE: { description: 'Tasks in use.' },
    ARCHIVED: { description: 'Archived tasks.' },
    ANY: { description: 'Both.' },
  },
});

@ArgsType()
export class TasksArgs extends PageArgs {
  @Field(() => ArchiveFilter, {
    defaultValue: ArchiveFilter.IN_USE,
    description: 'Tasks in use, archived ones, or both.',
  })
  @OneOf(Object.keys(ArchiveFilter))
  archived: ArchiveFilter = 'IN_USE';

  @Field(() => TodayFilter, {
    nullable: true,
    description: "Only tasks that stand so on the user's day today; null means all.",
  })
  @Clearable()
  @OneOf(Object.keys(TodayFilter))
  today?: TodayFilter | null;

  @Field(() => String, {
    nullable: true,
    description: 'Only tasks with this tag, in upper or lower case; null means all.',
  })
  @Clearable()
  @Text({ max: scheduleLimits.tag })
  tag?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Only tasks of this section, in upper or lower case; null means all.',
  })
  @Clearable()
  @Text({ max: scheduleLimits.section })
  section?: string | null;
}

@ArgsType()
export class MoveTaskArgs {
  @Field(() => ID, { description: 'The task to move.' })
  @Id()
  id!: number;

  @Field(() => ID, {
    nullable: true,
    description:
      'The task behind which it goes; null means the top of the list. Without this argument, the task keeps its place.',
  })
  @Clearable()
  @Id()
  behindTaskId?: number | null;

  @SectionField(
    'The section that the task goes to; null means none. Without this argument, the task stays in its section.',
  )
  section?: string | null;
}

@ArgsType()
export class RenameSectionArgs {
  @Field({ description: 'The section to rename, in upper or lower case.' })
  @Text({ max: scheduleLimits.section })
  name!: string;

  @SaidSectionField(
    `The new name of the section: 1 to ${scheduleLimits.section} characters. It must be given; null means that its tasks are in no section any more.`,
  )
  newName!: string | null;
}

/** What both APIs can create. GraphQL knows the input below by this name. */
@InputType('CommonTaskInput', { description: 'A task to create.' })
export class CreateTaskInput {
  @Field({ description: `The display name, not blank, at most ${written(limits.title)} characters.` })
  @Text({ max: limits.title, blank: false, controls: false })
  title!: string;

  @Field(() => Float, {
    defaultValue: 10,
    description: `The points that a completion earns: more than 0, at most ${written(scheduleLimits.points)}.`,
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
    defaultValue: false,
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

const SECTION = `The heading under which the task stands in the list: 1 to ${scheduleLimits.section} characters.`;

const TAGS = `At most ${scheduleLimits.tags} words of 1 to ${scheduleLimits.tag} characters, no two alike.`;

const GRACE_DAY = 'Whether one day late is in time, where the task is due every so many days';

const STEP = `What one tap adds to the target: more than 0, at most ${written(scheduleLimits.amount)}, with three decimals at most`;

/** In GraphQL. REST knows tasks that are due every day, and ignores the fields as any that it does not know. */
@InputType('CreateTaskInput', { description: 'A task to create.' })
export class CreateHabitInput extends CreateTaskInput {
  @ScheduleField('When the task is due. Without a schedule, it is due every day.')
  schedule?: ScheduleInput | null;

  @Field(() => Boolean, { defaultValue: false, description: `${GRACE_DAY}.` })
  @Omittable()
  @Flag()
  hasGraceDay: boolean = false;

  @TargetField(
    'The amount that completions must reach, or for a limit must not exceed. Without a target, one completion is enough.',
  )
  target?: TargetInput | null;

  @Field(() => Float, { nullable: true, description: `${STEP}.` })
  @Clearable()
  @Amount()
  step?: number | null;

  @Field(() => Colour, { nullable: true, description: 'Its colour.' })
  @Clearable()
  @OneOf(Object.keys(Colour))
  colour?: Colour | null;

  @IconField('One emoji or other character.')
  icon?: string | null;

  @TagsField(TAGS)
  tags?: string[] | null;

  @RemindersField(`The times at which to be reminded of the task: at most ${habitLimits.reminders}.`)
  reminders?: ReminderInput[] | null;

  @SectionField(`${SECTION} A section that is there already keeps its spelling.`)
  section?: string | null;
}

/** In GraphQL. REST is as specified, and has keys for completions alone. */
@ArgsType()
export class CreateTaskArgs {
  @Field(() => String, {
    nullable: true,
    description: `The key makes a retry safe: the same key and input again create nothing, and return the first task. The same key with another input is refused. ${A_KEY}`,
  })
  @Clearable()
  @IdempotencyKey()
  idempotencyKey?: string | null;
}

/** What both APIs can change. GraphQL knows the input below by this name. */
@InputType('CommonTaskChanges', { description: 'Only the fields that are given change.' })
export class UpdateTaskInput {
  @Field(() => String, {
    nullable: true,
    description: `The new display name, not blank, at most ${written(limits.title)} characters. It cannot be null.`,
  })
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

  @Field(() => Float, {
    nullable: true,
    description: `The points that a completion earns from now on: more than 0, at most ${written(scheduleLimits.points)}. They cannot be null.`,
  })
  @Omittable()
  @Points()
  points?: number;

  @Field(() => Boolean, {
    nullable: true,
    description: 'A label for your own use. It has no effect on the schedule, and cannot be null.',
  })
  @Omittable()
  @Flag()
  isDailyRoutine?: boolean;
}

/** In GraphQL, as `CreateHabitInput`. */
@InputType('UpdateTaskInput', { description: 'Only the fields that are given change.' })
export class UpdateHabitInput extends UpdateTaskInput {
  @Field(() => ScheduleInput, { nullable: true, description: 'When the task is due. It cannot be null.' })
  @Omittable()
  @ScheduleRule()
  schedule?: ScheduleInput;

  @Field(() => Boolean, { nullable: true, description: `${GRACE_DAY}. It cannot be null.` })
  @Omittable()
  @Flag()
  hasGraceDay?: boolean;

  @TargetField(
    'The amount that completions must reach, or for a limit must not exceed. Null means that one completion is enough.',
  )
  target?: TargetInput | null;

  @Field(() => Float, { nullable: true, description: `${STEP}; null clears it.` })
  @Clearable()
  @Amount()
  step?: number | null;

  @Field(() => Colour, { nullable: true, description: 'Its colour; null clears it.' })
  @Clearable()
  @OneOf(Object.keys(Colour))
  colour?: Colour | null;

  @IconField('One emoji or other character; null clears it.')
  icon?: string | null;

  @TagsField(`${TAGS} Null clears them.`)
  tags?: string[] | null;

  @RemindersField(
    `The times at which to be reminded of the task: at most ${habitLimits.reminders}. They replace the earlier ones; null or an empty list clears them.`,
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
