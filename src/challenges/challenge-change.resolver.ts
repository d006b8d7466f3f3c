import 'reflect-metadata';
import { Authorized, Ctx, Resolver, Root, Subscription } from 'type-graphql';
import { shared } from '../graphql/batching.js';
import type { UserContext } from '../graphql/context.js';
import { Access } from '../graphql/schema.js';
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

  @Access('READ')
  @Subscription(() => Challenge, {
    description: 'One of your challenges, as it is now, each time one is accepted, ended or gets new notes.',
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
