import 'reflect-metadata';
import { Arg, Args, Ctx, FieldResolver, Int, Query, Resolver, Root, Subscription } from 'type-graphql';
import { limits } from '../../base/validation.js';
import { batched, grouped, rowsOf } from '../../graphql/batching.js';
import { connectionOf, PageArgs } from '../../graphql/connection.js';
import type { Context, UserContext } from '../../graphql/context.js';
import { Access } from '../../graphql/schema.js';
import type { Account } from '../account/account.queries.js';
import { User } from '../account/user.entity.js';
import { Challenge } from '../challenges/challenge.entity.js';
import type { ChallengeService } from '../challenges/challenge.service.js';
import { Task } from '../habits/task.entity.js';
import type { TaskRow } from '../habits/task.queries.js';
import type { TaskService } from '../habits/task.service.js';
import { Completion } from '../history/completions/completion.entity.js';
import type { CompletionService } from '../history/completions/completion.service.js';
import type { CompletionRow } from '../history/completions/completion-list.queries.js';
import { Pause } from '../history/pauses/pause.entity.js';
import type { PauseRow } from '../history/pauses/pause.queries.js';
import type { PauseService } from '../history/pauses/pause.service.js';
import { cursorIn } from './feed.cursor.js';
import { FeedEvent } from './feed.entity.js';
import type { FeedService } from './feed.service.js';
import { feedLimits } from './limits.js';

const EventConnection = connectionOf(FeedEvent, 'Event');

/** The topic of the subscription, which has a source of its own. */
export const EVENTS = 'events';

/** Where a subscriber begins. */
export interface Reader {
  userId: string;
  after: string | null | undefined;
}

@Resolver()
export class FeedResolver {
  constructor(private readonly feed: FeedService) {}

  @Access('READ')
  @Query(() => EventConnection, {
    description: `The changes of all that is yours, oldest first, if your feed is on. \`after\` may be a number too, such as \`lastEventNumber\`. Events are kept for ${feedLimits.days} days. The end cursor of an empty page is the one that was given.`,
  })
  async events(@Ctx() { userId }: UserContext, @Args() { first, after }: PageArgs) {
    const request = { first: first ?? limits.pageSizeDefault };
    const cursor = typeof after === 'string' ? cursorIn(after) : undefined;
    const { events, firstStored } = await this.feed.read(userId, cursor, request.first + 1);
    const page = {
      rows: async () => events,
      hasEarlier: async () => cursor !== undefined && firstStored !== null && firstStored <= cursor.number,
      total: () => this.feed.count(userId),
      positionOf: ({ at, number }: FeedEvent) => ({ at, id: number }),
    };
    return new EventConnection(page, request, {
      cursorOf: ({ id }) => id,
      ofEmptyPage: after ?? null,
    });
  }
}

@Resolver()
export class FeedSubscription {
  @Access('READ')
  @Subscription(() => FeedEvent, {
    name: EVENTS,
    description:
      'Sends each event of your feed once, in order: first what came after the cursor or number, then what comes. Without one, what comes from now on. After a reconnection, pass the id of the last event: nothing is missed.',
    topics: EVENTS,
    topicId: ({ args, context }: { args: Pick<Reader, 'after'>; context: UserContext }): Reader => ({
      userId: context.userId,
      after: args.after,
    }),
  })
  eventAdded(
    @Root() event: FeedEvent,
    @Arg('after', () => String, {
      nullable: true,
      description: 'The cursor or the number of the last event that you have.',
    })
    _after?: string | null,
  ): FeedEvent {
    return event;
  }
}

interface Named<Id> {
  userId: string;
  id: Id;
}

/** Finds what each of many events is of, as it is by then; null where it is gone. */
const ofEach = <Id, Row>(find: (userId: string, ids: Id[]) => Promise<(Row | null)[]>) => {
  const found = grouped(
    ({ userId }: Named<Id>) => userId,
    (group) =>
      find(
        group[0].userId,
        group.map(({ id }) => id),
      ),
  );
  return (context: Context, userId: string, id: Id | null) =>
    id === null ? null : found(context, { userId, id });
};

@Resolver(() => FeedEvent)
export class FeedEventFields {
  constructor(
    private readonly tasks: TaskService,
    private readonly completions: CompletionService,
    private readonly challenges: ChallengeService,
    private readonly pauses: PauseService,
  ) {}

  @FieldResolver(() => Task, { nullable: true, description: 'The task as it is now; null if it is gone.' })
  task(@Root() { userId, taskId }: FeedEvent, @Ctx() context: Context): Promise<TaskRow | null> | null {
    return this.taskOf(context, userId, taskId);
  }

  @FieldResolver(() => Completion, {
    nullable: true,
    description: 'The completion as it is now; null if it is gone.',
  })
  completion(
    @Root() { userId, completionId }: FeedEvent,
    @Ctx() context: Context,
  ): Promise<CompletionRow | null> | null {
    return this.completionOf(context, userId, completionId);
  }

  @FieldResolver(() => Challenge, {
    nullable: true,
    description: 'The challenge as it is now; null if it is gone.',
  })
  challenge(
    @Root() { userId, challengeId }: FeedEvent,
    @Ctx() context: Context,
  ): Promise<Challenge | null> | null {
    return this.challengeOf(context, userId, challengeId);
  }

  @FieldResolver(() => Pause, { nullable: true, description: 'The pause as it is now; null if it is gone.' })
  pause(@Root() { userId, pauseId }: FeedEvent, @Ctx() context: Context): Promise<PauseRow | null> | null {
    return this.pauseOf(context, userId, pauseId);
  }

  private readonly taskOf = ofEach((userId, ids: number[]) =>
    rowsOf(ids, (distinct) => this.tasks.findMany(userId, distinct)),
  );
  private readonly completionOf = ofEach((userId, ids: number[]) => this.completions.findEach(userId, ids));
  private readonly challengeOf = ofEach((userId, ids: number[]) => this.challenges.findEach(userId, ids));
  private readonly pauseOf = ofEach((userId, ids: string[]) => this.pauses.findEach(userId, ids));
}

@Resolver(() => User)
export class UserFeedFields {
  constructor(private readonly feed: FeedService) {}

  @FieldResolver(() => Boolean, { description: 'Whether every change is kept as an event.' })
  async eventFeed(@Root() { id }: Account, @Ctx() context: Context): Promise<boolean> {
    return (await this.lastNumberOf(context, id)) !== null;
  }

  @Access('READ')
  @FieldResolver(() => Int, {
    nullable: true,
    description: 'The number of your last event, 0 before the first; null while your feed is off.',
  })
  lastEventNumber(@Root() { id }: Account, @Ctx() context: Context): Promise<number | null> {
    return this.lastNumberOf(context, id);
  }

  private readonly lastNumberOf = batched((userIds: readonly string[]) => this.feed.lastNumbers(userIds));
}
