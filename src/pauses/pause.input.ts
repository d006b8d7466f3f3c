import 'reflect-metadata';
import { ArgsType, Field, ID } from 'type-graphql';
import { CalendarDate } from '../graphql/scalars.js';
import type { Day } from '../schedules/day.js';
import { NoteField } from '../schedules/fields.js';
import { Clearable, Id } from '../validation.js';

@ArgsType()
export class UnskipDayArgs {
  @Field(() => ID, { description: 'The task.' })
  @Id()
  taskId!: number;

  @Field(() => CalendarDate, { description: 'Your day.' })
  date!: Day;
}

@ArgsType()
export class SkipDayArgs extends UnskipDayArgs {
  @NoteField()
  note?: string | null;
}

@ArgsType()
export class PauseArgs {
  @Field(() => ID, {
    nullable: true,
    description: 'The task to pause; null means all tasks, and your own streak.',
  })
  @Clearable()
  @Id()
  taskId?: number | null;

  @Field(() => CalendarDate, { description: 'The first day.' })
  from!: Day;

  @Field(() => CalendarDate, {
    nullable: true,
    description: 'The last day; null means that the pause lasts until you end it.',
  })
  until?: Day | null;

  @NoteField()
  note?: string | null;
}

@ArgsType()
export class EndPauseArgs {
  @Field(() => ID, { description: 'The pause.' })
  id!: string;

  @Field(() => CalendarDate, {
    description: 'The last day of the pause. A day before its first day deletes the pause.',
  })
  until!: Day;
}
