import 'reflect-metadata';
import { ArgsType, Field, Float, ID, InputType } from 'type-graphql';
import { Clearable, Flag, Id, IdempotencyKey, limits, Omittable, written } from '../../base/validation.js';
import { Name } from '../account/rules.js';
import { AmountField } from '../schedules/fields.js';
import { Amount } from '../schedules/habit-rules.js';

@ArgsType()
export class CreateCheckInLinkArgs {
  @Field(() => ID, { description: 'The task that the link completes.' })
  @Id()
  taskId!: number;

  @Field({
    description: `What the link is for, such as the place of its sticker: not blank, at most ${written(limits.name)} characters.`,
  })
  @Name({ max: limits.name })
  name!: string;

  @AmountField()
  amount?: number | null;
}

/** The body of a check-in, which may be empty. */
@InputType('CheckInInput', { description: 'What was done, if the link does not say it.' })
export class CheckInInput {
  @Field(() => Float, {
    nullable: true,
    description:
      'How much was done, with three decimals at most; without it, or with null, what the link says.',
  })
  @Clearable()
  @Amount()
  amount?: number | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Makes a retry safe: the same key again records nothing. Without it, what comes twice within a minute counts once.',
  })
  @Clearable()
  @IdempotencyKey()
  key?: string | null;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'True: only if the task has no completion on that day yet, wherever it came from.',
  })
  @Omittable()
  @Flag()
  once: boolean = false;
}
