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
  @Field(() => ID, { nullable: true, description: 'The task; null: all tasks, and your own streak.' })
  @Clearable()
  @Id()
  taskId?: number | null;

  @Field(() => CalendarDate, { description: 'The first day.' })
  from!: Day;

  @Field(() => CalendarDate, { nullable: true, description: 'The last day; null: until you end it.' })
  until?: Day | null;

  @NoteField()
  note?: string | null;
}

@ArgsType()
export class EndPauseArgs {
  @Field(() => ID, { description: 'The pause.' })
  id!: string;

  @Field(() => CalendarDate, {
    description: 'Its last day. One before its first removes the pause.',
  })
  until!: Day;
}
