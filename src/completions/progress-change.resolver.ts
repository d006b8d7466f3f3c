import 'reflect-metadata';
import { Ctx, Field, ID, ObjectType, Resolver, Root, registerEnumType, Subscription } from 'type-graphql';
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
    CORRECTED: { description: 'The service corrected the counters: at the end of a day, or as a repair.' },
    PLANNED: {
      description: 'A task was created, changed, moved, archived, restored, skipped, paused or deleted.',
    },
    PROFILE: {
      description:
        'The profile was changed, such as the name, the e-mail address, the language or the time zone.',
    },
  },
});

@ObjectType({
  simpleResolvers: true,
  description:
    'A change of your counters, tasks or profile. `taskId` and `completionId` name what has changed, even if it is gone.',
})
class ProgressChange {
  @Field(() => ProgressCause, { description: 'What has changed.' })
  cause!: ProgressCause;

  @Field(() => User, { description: 'The user as it is now.' })
  user!: () => Promise<Account>;

  @Field(() => ID, {
    nullable: true,
    description:
      'The id of the task that has changed or was deleted; null if none has changed, or several have.',
  })
  taskId!: number | null;

  @Field(() => ID, {
    nullable: true,
    description: 'The id of the completion that was recorded or undone; null for any other cause.',
  })
  completionId!: number | null;

  @Field(() => [ID], {
    nullable: true,
    description:
      'The ids of the tasks that may have changed, if a change concerns several, such as a pause of everything or another time zone; otherwise null.',
  })
  tasks!: () => Promise<number[]> | null;

  @Field(() => Task, {
    nullable: true,
    description: 'The task as it is now; null if it was deleted, if none has changed, or several have.',
  })
  task!: () => Promise<TaskRow | null> | null;

  @Field(() => Completion, {
    nullable: true,
    description: 'The completion that was recorded; null for any other cause.',
  })
  completion!: () => Promise<CompletionRow | null> | null;
}

@Resolver()
export class ProgressChangeResolver {
  private readonly userOf: (userId: string) => Promise<Account>;
  private readonly taskOf: TaskService['find'];
  private readonly idsOf: TaskService['idsOf'];
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
    this.idsOf = shared((userId) => tasks.idsOf(userId));
    this.completionOf = shared((userId, id) =>
      accounts.unlessGone(userId, () => completions.find(userId, id)),
    );
  }

  /** Functions, so that rows are read only if the subscription selects them. */
  @Access('READ')
  @Subscription(() => ProgressChange, {
    description: 'Tells of each change of your counters, tasks and profile, whichever device caused it.',
    topics: PROGRESS,
    topicId: ({ context }: { context: UserContext }) => context.userId,
  })
  progressChanged(
    @Root() { cause, taskId, completionId, changedAll = false }: AnnouncedProgress,
    @Ctx() { userId }: UserContext,
  ): ProgressChange {
    const { userOf, taskOf, idsOf, completionOf } = this;
    const recordedId = cause === 'COMPLETED' ? completionId : undefined;
    return {
      cause,
      taskId: taskId ?? null,
      completionId: completionId ?? null,
      tasks: () => (changedAll ? idsOf(userId) : null),
      user: () => userOf(userId),
      task: () => (taskId === undefined ? null : taskOf(userId, taskId)),
      completion: () => (recordedId === undefined ? null : completionOf(userId, recordedId)),
    };
  }
}
