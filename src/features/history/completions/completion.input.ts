import 'reflect-metadata';
import { ArgsType, Field, ID, InputType } from 'type-graphql';
import {
  A_KEY,
  Clearable,
  Flag,
  Id,
  IdempotencyKey,
  Instant,
  limits,
  Omittable,
  written,
} from '../../../base/validation.js';
import { PageArgs } from '../../../graphql/connection.js';
import { CalendarDate } from '../../../graphql/scalars.js';
import type { Day } from '../../schedules/day.js';
import { AmountField, NoteField, SaidNoteField, together } from '../../schedules/fields.js';

const KEY = `The key makes a retry safe: the same key again records nothing, and returns the first completion, whose time and note stay. ${A_KEY}`;

@ArgsType()
export class CompleteTaskInput {
  @Field(() => ID, { description: 'The task that was done.' })
  @Id()
  taskId!: number;

  @Field(() => String, {
    nullable: true,
    description: KEY,
  })
  @Clearable()
  @IdempotencyKey()
  idempotencyKey?: string | null;
}

const AT =
  'When the task was done. Up to five minutes in the future counts as now, since the clock of a device may be ahead; it must be no longer ago than the service allows (its setting BACKDATE_HOURS, seven days by default). Without `at`, it was done now.';

const ONCE =
  'True: only if the task has no completion on that day of yours yet, whatever its amount. Otherwise nothing is recorded, and the latest completion of that day is returned. So two devices on which the same habit is tapped make one completion.';

const OnceField = (): PropertyDecorator =>
  together(
    Field(() => Boolean, { defaultValue: false, description: ONCE }),
    Omittable(),
    Flag(),
  );

/** In GraphQL. REST records what is done now, and ignores these fields as any that it does not know. */
@ArgsType()
export class CompleteTaskAtInput extends CompleteTaskInput {
  @Field(() => Date, { nullable: true, description: AT })
  @Clearable()
  @Instant()
  at?: Date | null;

  @AmountField()
  amount?: number | null;

  @NoteField()
  note?: string | null;

  @OnceField()
  once: boolean = false;
}

@InputType({ description: 'One of several completions to record at once.' })
export class CompletionInput {
  @Field(() => ID, { description: 'The task that was done.' })
  @Id()
  taskId!: number;

  @Field(() => String, {
    description: KEY,
  })
  @IdempotencyKey()
  idempotencyKey!: string;

  @Field(() => Date, { nullable: true, description: AT })
  @Clearable()
  @Instant()
  at?: Date | null;

  @AmountField()
  amount?: number | null;

  @NoteField()
  note?: string | null;

  @OnceField()
  once: boolean = false;
}

@ArgsType()
export class CompletionsArgs extends PageArgs {
  @Field(() => CalendarDate, {
    nullable: true,
    description: 'The first of your days to include; null means from the beginning.',
  })
  from?: Day | null;

  @Field(() => CalendarDate, {
    nullable: true,
    description: 'The last of your days to include; null means to the end.',
  })
  to?: Day | null;

  @Field(() => ID, { nullable: true, description: 'Only completions of this task; null means of all tasks.' })
  @Clearable()
  @Id()
  taskId?: number | null;
}

@ArgsType()
export class UpdateCompletionNoteArgs {
  @Field(() => ID, { description: 'The completion.' })
  @Id()
  id!: number;

  @SaidNoteField(`The note, at most ${written(limits.note)} characters. It must be given; null clears it.`)
  note!: string | null;
}
