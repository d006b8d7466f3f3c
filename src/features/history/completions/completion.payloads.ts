import 'reflect-metadata';
import { Field, ID, ObjectType } from 'type-graphql';
import type { Reason } from '../../../base/errors.js';
import { Refusal } from '../../../base/errors.js';
import type { Caller } from '../../../base/scopes.js';
import { Payload } from '../../../graphql/payload.js';
import { publicOf, ReasonEnum, RefusedField, refusedFieldsOf } from '../../../graphql/reason.js';
import type { Account } from '../../account/account.queries.js';
import { User } from '../../account/user.entity.js';
import { Task } from '../../habits/task.entity.js';
import type { TaskRow } from '../../habits/task.queries.js';
import type { Replayable } from './batch.js';
import { Completion } from './completion.entity.js';
import type { CompletionInput } from './completion.input.js';
import { type CompletionResult, type CountedResult, foundBy } from './completion.service.js';
import type { CompletionRow } from './completion-list.queries.js';

const IS_REPLAYED =
  'True if the idempotency key was used before, or `isDoneAlready`. Nothing is counted again then.';

const IS_DONE_ALREADY =
  'True if `once` was said and the task had been completed on that day, under another key or without one. Then there is nothing to undo that this request has recorded.';

@Payload()
export class CompleteTaskPayload {
  @Field(() => Completion, {
    description:
      'The completion that was recorded. If the idempotency key was used before, this is the first one; if `isDoneAlready`, the latest one of that day, whose note only a token with READ is shown.',
  })
  completion!: CompletionRow;

  @Field(() => Task, { description: 'The task as it is now.' })
  task!: CountedResult['task'];

  @Field(() => User, { description: 'The user as it is now.' })
  user!: () => Account | Promise<Account>;

  @Field({ description: IS_REPLAYED })
  isReplayed!: boolean;

  @Field({ description: IS_DONE_ALREADY })
  isDoneAlready!: boolean;
}

@Payload()
export class UndoCompletionPayload {
  undone!: CompletionRow;

  @Field(() => ID, { description: 'The id of the completion that was undone.' })
  completionId!: number;

  @Field(() => Task, { description: 'The task as it is now.' })
  task!: () => Promise<TaskRow>;

  @Field(() => User, { description: 'The user as it is now.' })
  user!: () => Promise<Account>;
}

@Payload()
export class UpdateCompletionNotePayload {
  @Field(() => Completion, { description: 'The completion as it is now.' })
  completion!: CompletionRow;
}

@ObjectType({ simpleResolvers: true, description: 'Why a completion was refused.' })
class RefusedInput {
  @Field({ description: 'The message, for people.' })
  message!: string;

  @Field(() => ReasonEnum, { description: 'The reason, for programs.' })
  reason!: Reason;

  @Field(() => [RefusedField], {
    description: 'The fields of the input that were refused; empty if the reason lies elsewhere.',
  })
  fields!: RefusedField[];

  @Field({ description: 'The key of the input that was refused, by which a client finds its tap.' })
  idempotencyKey!: string;
}

@ObjectType({ simpleResolvers: true, description: 'What became of one completion of several.' })
class CompleteTaskResult {
  @Field(() => Completion, {
    nullable: true,
    description: 'The completion that was recorded; null if it was refused.',
  })
  completion!: CompletionRow | null;

  @Field(() => Task, {
    nullable: true,
    description: 'The task as it is now; null if the completion was refused.',
  })
  task!: TaskRow | null;

  @Field({ description: IS_REPLAYED })
  isReplayed!: boolean;

  @Field({ description: IS_DONE_ALREADY })
  isDoneAlready!: boolean;

  @Field(() => RefusedInput, {
    nullable: true,
    description: 'Why the completion was refused; null if it was recorded.',
  })
  error!: RefusedInput | null;
}

@Payload()
export class CompleteTasksPayload {
  @Field(() => [CompleteTaskResult], {
    description:
      'One result for each input, in the order of the inputs. A refused input has an `error`; the others are recorded all the same.',
  })
  results!: CompleteTaskResult[];

  @Field(() => User, { description: 'The user as it is now.' })
  user!: () => Promise<Account>;
}

export const seenBy = <Done extends Replayable & { completion: CompletionRow }>(
  caller: Caller,
  done: Done,
): Done => (done.isDoneAlready ? { ...done, completion: foundBy(caller, done.completion) } : done);

export const resultOf = (
  caller: Caller,
  result: CompletionResult | Refusal,
  { idempotencyKey }: CompletionInput,
): CompleteTaskResult =>
  result instanceof Refusal
    ? { ...NOTHING, error: refusedInput(result, idempotencyKey) }
    : { ...seenBy(caller, result), error: null };

const NOTHING = { completion: null, task: null, isReplayed: false, isDoneAlready: false };

function refusedInput(refusal: Refusal, idempotencyKey: string): RefusedInput {
  const told = publicOf(refusal);
  const { message, reason } = told;
  return { message, reason, fields: refusedFieldsOf(told), idempotencyKey };
}
