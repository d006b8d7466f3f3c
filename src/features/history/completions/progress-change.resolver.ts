import 'reflect-metadata';
import { Ctx, Field, ID, ObjectType, Resolver, Root, registerEnumType, Subscription } from 'type-graphql';
import { unauthenticated } from '../../../base/errors.js';
import { shared, together } from '../../../graphql/batching.js';
import type { UserContext } from '../../../graphql/context.js';
import { Access } from '../../../graphql/schema.js';
import type { Account } from '../../account/account.queries.js';
import type { AccountService } from '../../account/account.service.js';
import { type AnnouncedProgress, EventKind, PROGRESS } from '../../account/progress.announcement.js';
import { User } from '../../account/user.entity.js';
import { Task } from '../../habits/task.entity.js';
import type { TaskRow } from '../../habits/task.queries.js';
import type { TaskService } from '../../habits/task.service.js';
import { Completion } from './completion.entity.js';
import type { CompletionService } from './completion.service.js';
import type { CompletionRow } from './completion-list.queries.js';

registerEnumType(EventKind, {
  name: 'EventKind',
  description: 'What has changed. Later releases may add kinds.',
  valuesConfig: {
    COMPLETION_RECORDED: { description: 'A task was completed.' },
    COMPLETION_UNDONE: { description: 'A completion was undone.' },
    COMPLETION_CHANGED: { description: 'The note on a completion was changed.' },
    TASK_CREATED: { description: 'A task was created.' },
    TASK_CHANGED: {
      description:
        'A task was changed. A section that is renamed changes each of its tasks: the feed has an event for each.',
    },
    TASK_MOVED: { description: 'A task was moved to another place of the list.' },
    TASK_ARCHIVED: { description: 'A task was archived.' },
    TASK_UNARCHIVED: { description: 'An archived task is in use again.' },
    TASK_DELETED: { description: 'A task was deleted, with its completions.' },
    DAY_SKIPPED: { description: 'A day of a task was skipped, or the note on its skip was changed.' },
    DAY_UNSKIPPED: { description: 'A day of a task is not skipped any more.' },
    PAUSE_BEGUN: { description: 'A pause was created, of a task or of everything: it may begin later.' },
    PAUSE_CHANGED: {
      description: 'The days or the note of a pause were changed: also, a pause was ended by its last day.',
    },
    PAUSE_ENDED: { description: 'A pause was deleted.' },
    CHALLENGE_ACCEPTED: { description: 'A challenge was accepted.' },
    CHALLENGE_CHANGED: { description: 'The notes on a challenge were changed.' },
    CHALLENGE_COMPLETED: { description: 'A challenge was completed.' },
    CHALLENGE_ABANDONED: { description: 'A challenge was abandoned.' },
    PROFILE_CHANGED: {
      description:
        'The profile was changed, such as the name, the e-mail address, the language or the time zone.',
    },
    STREAK_CORRECTED: {
      description:
        'The service corrected the counters of REST, within an hour after a day has ended by UTC, or as a repair. Your day ends without a change: ask `todayEndsAt`.',
    },
    IMPORTED: { description: 'A file was imported.' },
  } satisfies Record<EventKind, { description: string }>,
});

@ObjectType({
  simpleResolvers: true,
  description: 'A change of your tasks, completions, pauses, challenges, counters or profile.',
})
class ProgressChange {
  @Field(() => EventKind, { description: 'What has changed.' })
  kind!: EventKind;

  @Field(() => User, { description: 'The user as it is now.' })
  user!: () => Promise<Account>;

  @Field(() => [ID], {
    description:
      'The ids of the tasks that may have changed, even if they are gone: one, or all of them, such as after a pause of everything or with another time zone; empty if none has.',
  })
  taskIds!: () => Promise<number[]> | number[];

  @Field(() => ID, {
    nullable: true,
    description: 'The id of the completion that has changed, even if it is gone; null if none has.',
  })
  completionId!: number | null;

  @Field(() => Task, {
    nullable: true,
    description:
      'The one task that has changed, as it is now; null if it is gone, or if none or several have.',
  })
  task!: () => Promise<TaskRow | null> | null;

  @Field(() => Completion, {
    nullable: true,
    description: 'The completion that has changed, as it is now; null if it is gone, or if none has.',
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
    description:
      'Tells of each change of your tasks, completions, pauses, challenges, counters and profile, whichever device caused it.',
    topics: PROGRESS,
    topicId: ({ context }: { context: UserContext }) => context.userId,
  })
  progressChanged(
    @Root() { kind, taskId, completionId, changedAll = false }: AnnouncedProgress,
    @Ctx() { userId }: UserContext,
  ): ProgressChange {
    const { userOf, taskOf, idsOf, completionOf } = this;
    const keptId = kind === 'COMPLETION_UNDONE' ? undefined : completionId;
    return {
      kind,
      taskIds: () => (changedAll ? idsOf(userId) : taskId === undefined ? [] : [taskId]),
      completionId: completionId ?? null,
      user: () => userOf(userId),
      task: () => (taskId === undefined ? null : taskOf(userId, taskId)),
      completion: () => (keptId === undefined ? null : completionOf(userId, keptId)),
    };
  }
}
