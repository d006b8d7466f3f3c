import 'reflect-metadata';
import {
  Authorized,
  Ctx,
  Field,
  ObjectType,
  Resolver,
  Root,
  registerEnumType,
  Subscription,
} from 'type-graphql';
import type { Account } from '../accounts/account.queries.js';
import type { AccountService } from '../accounts/account.service.js';
import { type AnnouncedProgress, PROGRESS, ProgressCause } from '../accounts/progress.announcement.js';
import { User } from '../accounts/user.entity.js';
import { unauthenticated } from '../errors.js';
import { shared, together } from '../graphql/batching.js';
import type { UserContext } from '../graphql/context.js';
import { Access } from '../graphql/schema.js';
import { Task } from '../tasks/task.entity.js';
import type { TaskRow } from '../tasks/task.queries.js';
import type { TaskService } from '../tasks/task.service.js';
import { Completion } from './completion.entity.js';
import type { CompletionService } from './completion.service.js';
import type { CompletionRow } from './completion-list.queries.js';

registerEnumType(ProgressCause, {
  name: 'ProgressCause',
  description: 'What has changed.',
  valuesConfig: {
    COMPLETED: { description: 'A task was completed.' },
    UNDONE: { description: 'A completion was undone.' },
    CORRECTED: { description: 'The nightly job, or a repair, corrected the counters.' },
    PLANNED: {
      description: 'A task was created, changed, moved, archived, restored, skipped, paused or deleted.',
    },
  },
});

@ObjectType({
  simpleResolvers: true,
  description:
    'What changed: `task` is null when the nightly job corrected the counters, or when the task is gone, `completion` unless one was recorded.',
})
class ProgressChange {
  @Field(() => ProgressCause, { description: 'What has changed.' })
  cause!: ProgressCause;

  @Field(() => User, { description: 'The user as it is now.' })
  user!: () => Promise<Account>;

  @Field(() => Task, {
    nullable: true,
    description:
      'The task as it is now; null if the counters were corrected, the task is gone, or more than one has changed.',
  })
  task!: () => Promise<TaskRow | null> | null;

  @Field(() => Completion, {
    nullable: true,
    description: 'The completion that was recorded; null in all other cases.',
  })
  completion!: () => Promise<CompletionRow | null> | null;
}

@Authorized()
@Resolver()
export class ProgressChangeResolver {
  private readonly userOf: (userId: string) => Promise<Account>;
  private readonly taskOf: TaskService['find'];
  private readonly completionOf: CompletionService['find'];

  constructor(accounts: AccountService, tasks: TaskService, completions: CompletionService) {
    this.userOf = together<string, Account>({
      nameOf: (userId) => userId,
      load: async (userIds) => {
        const found = await accounts.getEach(userIds);
        return userIds.map((id) => found.get(id) ?? unauthenticated());
      },
    });
    // These are read after the token was checked: the account may be gone by now.
    this.taskOf = shared((userId, id) => accounts.unlessGone(userId, () => tasks.find(userId, id)));
    this.completionOf = shared((userId, id) =>
      accounts.unlessGone(userId, () => completions.find(userId, id)),
    );
  }

  /** Functions, so that rows are read only if the subscription selects them. */
  @Access('READ')
  @Subscription(() => ProgressChange, {
    description: 'Your counters and tasks, each time they change, whichever device caused it.',
    topics: PROGRESS,
    topicId: ({ context }: { context: UserContext }) => context.userId,
  })
  progressChanged(
    @Root() { cause, taskId, completionId }: AnnouncedProgress,
    @Ctx() { userId }: UserContext,
  ): ProgressChange {
    const { userOf, taskOf, completionOf } = this;
    return {
      cause,
      user: () => userOf(userId),
      task: () => (taskId === undefined ? null : taskOf(userId, taskId)),
      completion: () => (completionId === undefined ? null : completionOf(userId, completionId)),
    };
  }
}
