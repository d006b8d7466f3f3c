import 'reflect-metadata';
import { ArgsType, Field, ID, InputType } from 'type-graphql';
import { Clearable, Id, limits, Omittable, Text, written } from '../../../base/validation.js';
import { CalendarDate } from '../../../graphql/scalars.js';
import type { Day } from '../../schedules/day.js';
import { NoteField } from '../../schedules/fields.js';
import { historyLimits } from '../limits.js';

const NEAR = `as long ago as the service allows (its setting BACKDATE_HOURS), and at most ${historyLimits.daysAhead} days ahead`;

@ArgsType()
export class UnskipDayArgs {
  @Field(() => ID, { description: 'The task.' })
  @Id()
  taskId!: number;

  @Field(() => CalendarDate, { description: `The day, of yours: ${NEAR}.` })
  date!: Day;
}

@ArgsType()
export class SkipDayArgs extends UnskipDayArgs {
  @NoteField(
    `A note on it, at most ${written(limits.note)} characters; null clears it. Without this argument, a day that is skipped keeps its note.`,
  )
  note?: string | null;
}

@InputType({ description: 'Days on which nothing is asked for.' })
export class CreatePauseInput {
  @Field(() => CalendarDate, { description: `The first day: ${NEAR}.` })
  from!: Day;

  @Field(() => CalendarDate, {
    nullable: true,
    description: 'The last day; null means that the pause lasts until you end it.',
  })
  @Clearable()
  until?: Day | null;

  @Field(() => ID, {
    nullable: true,
    description: 'The task to pause; null means all tasks, and your own streak.',
  })
  @Clearable()
  @Id()
  taskId?: number | null;

  @NoteField()
  note?: string | null;
}

@InputType({ description: 'Only the fields that are given change.' })
export class UpdatePauseInput {
  @Field(() => CalendarDate, { nullable: true, description: `The first day: ${NEAR}. It cannot be null.` })
  @Omittable()
  @Text()
  from?: Day;

  @Field(() => CalendarDate, {
    nullable: true,
    description: 'The last day; null means that the pause lasts until you end it.',
  })
  @Clearable()
  until?: Day | null;

  @NoteField(`A note on it, at most ${written(limits.note)} characters; null clears it.`)
  note?: string | null;
}
