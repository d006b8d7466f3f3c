import 'reflect-metadata';
import { Authorized, Ctx, Resolver, Root, Subscription } from 'type-graphql';
import type { UserContext } from '../graphql/context.js';
import { shared } from '../graphql/together.js';
import { Challenge } from './challenge.entity.js';
import { type AnnouncedChallenge, CHALLENGES } from './challenge.queries.js';
import type { ChallengeService } from './challenge.service.js';

@Authorized()
@Resolver()
export class ChallengeChangeResolver {
  private readonly challengeOf: ChallengeService['find'];

  constructor(service: ChallengeService) {
    this.challengeOf = shared((userId, id) => service.find(userId, id));
  }

  @Subscription(() => Challenge, {
    description: 'A challenge of yours as it is now, whenever one is accepted, noted on or ended.',
    topics: CHALLENGES,
    topicId: ({ context }: { context: UserContext }) => context.userId,
  })
  challengeChanged(
    @Root() { challengeId }: AnnouncedChallenge,
    @Ctx() { userId }: UserContext,
  ): Promise<Challenge | null> {
    return this.challengeOf(userId, challengeId);
  }
}
