import 'reflect-metadata';
import { Args, Ctx, Field, FieldResolver, Int, ObjectType, Resolver, Root } from 'type-graphql';
import { grouped, pagesBelow } from '../../../graphql/batching.js';
import { PageArgs, pageRequest } from '../../../graphql/connection.js';
import type { Context } from '../../../graphql/context.js';
import { CalendarDate } from '../../../graphql/scalars.js';
import { Challenge } from '../../challenges/challenge.entity.js';
import { TaskConnection } from '../../habits/task.resolver.js';
import type { TaskService } from '../../habits/task.service.js';
import type { Day } from '../../schedules/day.js';
import type { ChallengeProgressService, Progress } from './challenge-progress.service.js';

@ObjectType({
  simpleResolvers: true,
  description:
    'How far a challenge has come, measured by completions of the tasks linked to its template, or that were linked when it ended.',
})
export class ChallengeProgress implements Progress {
  @Field({
    description:
      'False while no task is linked to the template. Nothing can be measured then, and `daysDone` is 0.',
  })
  isTracked!: boolean;

  @Field(() => CalendarDate, { description: "The user's day on which the challenge began." })
  firstDay!: Day;

  @Field(() => Int, { description: 'How many days the challenge runs.' })
  daysTotal!: number;

  @Field(() => Int, {
    description:
      "The number of the user's days from the first day to today, with both of them: 1 on the first day, and at most `daysTotal`.",
  })
  daysElapsed!: number;

  @Field(() => Int, {
    description:
      "The number of the user's days on which at least one linked task was kept. A task is kept when its target of the day is reached; with a target of a week or month, when something is done. The whole day on which the challenge began counts, and none after its last day.",
  })
  daysDone!: number;

  @Field({ description: 'True once the last day of the challenge is over.' })
  isOver!: boolean;
}

/** Fields of a challenge that need its linked tasks. */
@Resolver(() => Challenge)
export class ChallengeTaskFields {
  constructor(
    private readonly service: TaskService,
    private readonly measure: ChallengeProgressService,
  ) {}

  @FieldResolver(() => TaskConnection, {
    description: "The caller's tasks that are linked to this challenge's template, oldest first.",
  })
  tasks(@Root() challenge: Challenge, @Args() args: PageArgs, @Ctx() context: Context) {
    const { userId, templateId } = challenge;
    const identity = { list: `linked:${templateId}`, userId };
    const request = pageRequest(args, identity);
    const page = this.pages(context, { userId, id: templateId, request });
    return new TaskConnection({ ...page, total: () => this.counts(context, challenge) }, request, identity);
  }

  @FieldResolver(() => ChallengeProgress, {
    description: 'How far the challenge has come. A challenge never ends by itself.',
  })
  progress(@Root() challenge: Challenge, @Ctx() context: Context): Promise<Progress> {
    return this.measured(context, challenge);
  }

  private readonly pages = pagesBelow((userId) => this.service.linkedPages(userId));

  private readonly counts = grouped(
    ({ userId }: Challenge) => userId,
    async (group) => {
      const templateIds = [...new Set(group.map(({ templateId }) => templateId))];
      const counts = await this.service.countLinkedToEach(group[0].userId, templateIds);
      return group.map(({ templateId }) => counts.get(templateId) ?? 0);
    },
  );

  private readonly measured = grouped(
    ({ userId }: Challenge) => userId,
    (group) => this.measure.ofEach(group[0].userId, group),
  );
}
