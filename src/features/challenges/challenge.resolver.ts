import 'reflect-metadata';
import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Mutation,
  Query,
  Resolver,
  Root,
  Subscription,
} from 'type-graphql';
import { rowId } from '../../base/validation.js';
import { batched, rowsOf, shared } from '../../graphql/batching.js';
import { connectionOf, PageArgs, pageRequest } from '../../graphql/connection.js';
import type { Context, UserContext } from '../../graphql/context.js';
import { Payload } from '../../graphql/payload.js';
import { Access } from '../../graphql/schema.js';
import type { Account } from '../account/account.queries.js';
import type { AccountService } from '../account/account.service.js';
import { User } from '../account/user.entity.js';
import { Challenge, ChallengeStatus } from './challenge.entity.js';
import { AcceptChallengeInput, ChallengeNotesInput } from './challenge.input.js';
import { type AnnouncedChallenge, CHALLENGES, type ListedChallenge } from './challenge.queries.js';
import type { ChallengeService } from './challenge.service.js';
import { ChallengeTemplate } from './template.entity.js';
import type { TemplateService } from './template.service.js';

const ChallengeConnection = connectionOf(Challenge);

/** `user` is read only if the query selects it. */
const payloadOf = (challenge: Challenge, accounts: AccountService) => ({
  challenge,
  user: () => accounts.get(challenge.userId),
});

@Payload()
class AcceptChallengePayload {
  @Field(() => Challenge, { description: 'The new challenge, now ACTIVE.' })
  challenge!: Challenge;

  @Field(() => User, { description: 'The user who owns the challenge.' })
  user!: () => Promise<Account>;
}

@Payload()
class UpdateChallengeNotesPayload {
  @Field(() => Challenge, { description: 'The challenge with its new notes.' })
  challenge!: Challenge;
}

@Payload()
class CompleteChallengePayload {
  @Field(() => Challenge, { description: 'The challenge, now COMPLETED.' })
  challenge!: Challenge;

  @Field(() => User, { description: 'The user who owns the challenge.' })
  user!: () => Promise<Account>;
}

@Payload()
class AbandonChallengePayload {
  @Field(() => Challenge, { description: 'The challenge, now ABANDONED.' })
  challenge!: Challenge;

  @Field(() => User, { description: 'The user who owns the challenge.' })
  user!: () => Promise<Account>;
}

@Resolver()
export class ChallengeResolver {
  constructor(
    private readonly service: ChallengeService,
    private readonly accounts: AccountService,
  ) {}

  @Access('READ')
  @Query(() => ChallengeConnection, { description: 'Your challenges, newest first.' })
  challenges(
    @Ctx() { userId }: UserContext,
    @Args() args: PageArgs,
    @Arg('status', () => ChallengeStatus, {
      nullable: true,
      description: 'Only challenges with this status.',
    })
    status: ChallengeStatus | null,
  ) {
    const identity = { list: `challenges:${status ?? ''}`, userId };
    const request = pageRequest(args, identity);
    return new ChallengeConnection(this.service.page(userId, request, status), request, identity);
  }

  @Access('READ')
  @Query(() => Challenge, {
    nullable: true,
    description: 'One of your challenges; null if you have none with this id.',
  })
  challenge(
    @Ctx() { userId }: UserContext,
    @Arg('id', () => ID, { description: 'The id.' }) id: string,
  ): Promise<Challenge | null> {
    return this.service.find(userId, rowId(id));
  }

  @Access('READ')
  @Query(() => Challenge, { nullable: true, description: 'Your ACTIVE challenge; null if you have none.' })
  activeChallenge(@Ctx() { userId }: UserContext): Promise<Challenge | null> {
    return this.service.findActive(userId);
  }

  @Access('CHALLENGES')
  @Mutation(() => AcceptChallengePayload, {
    nullable: true,
    description:
      'Accept a template, and so start a challenge. You can have only one ACTIVE challenge at a time.',
  })
  async acceptChallenge(
    @Ctx() { userId }: UserContext,
    @Args() { templateId }: AcceptChallengeInput,
  ): Promise<AcceptChallengePayload> {
    return payloadOf(await this.service.accept(userId, templateId), this.accounts);
  }

  @Access('CHALLENGES')
  @Mutation(() => UpdateChallengeNotesPayload, {
    nullable: true,
    description: 'Replace the notes of a challenge.',
  })
  async updateChallengeNotes(
    @Ctx() { userId }: UserContext,
    @Arg('id', () => ID, { description: 'The challenge.' }) id: string,
    @Args() { notes }: ChallengeNotesInput,
  ): Promise<UpdateChallengeNotesPayload> {
    return { challenge: await this.service.updateNotes(userId, rowId(id), notes) };
  }

  @Access('CHALLENGES')
  @Mutation(() => CompleteChallengePayload, {
    nullable: true,
    description: 'Complete a challenge: end it as COMPLETED.',
  })
  async completeChallenge(
    @Ctx() { userId }: UserContext,
    @Arg('id', () => ID, { description: 'The challenge.' }) id: string,
  ): Promise<CompleteChallengePayload> {
    return payloadOf(await this.service.complete(userId, rowId(id)), this.accounts);
  }

  @Access('CHALLENGES')
  @Mutation(() => AbandonChallengePayload, {
    nullable: true,
    description: 'Abandon a challenge: end it as ABANDONED, for good.',
  })
  async abandonChallenge(
    @Ctx() { userId }: UserContext,
    @Arg('id', () => ID, { description: 'The challenge.' }) id: string,
  ): Promise<AbandonChallengePayload> {
    return payloadOf(await this.service.abandon(userId, rowId(id)), this.accounts);
  }
}

@Resolver()
export class ChallengeChangeResolver {
  private readonly challengeOf: ChallengeService['find'];

  constructor(service: ChallengeService, accounts: AccountService) {
    // It is read after the token was checked: the account may be gone by now.
    this.challengeOf = shared((userId, id) => accounts.unlessGone(userId, () => service.find(userId, id)));
  }

  @Access('READ')
  @Subscription(() => Challenge, {
    description: 'Sends one of your challenges each time it is accepted, ended or gets new notes.',
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

@Resolver(() => Challenge)
export class ChallengeFields {
  constructor(private readonly templates: TemplateService) {}

  @FieldResolver(() => ChallengeTemplate, { description: 'The template that was accepted.' })
  async template(
    @Root() challenge: Challenge & Partial<ListedChallenge>,
    @Ctx() context: Context,
  ): Promise<ChallengeTemplate | null> {
    return challenge.template ?? this.accepted(context, challenge.templateId);
  }

  private readonly accepted = batched((ids: readonly number[]) =>
    rowsOf(ids, (distinct) => this.templates.findMany(distinct)),
  );
}

@Resolver(() => User)
export class UserChallengeFields {
  constructor(private readonly service: ChallengeService) {}

  @FieldResolver(() => Challenge, {
    nullable: true,
    description:
      "The user's ACTIVE challenge; null if there is none. If you ask for it in the `user` of payloads, the cache of your client stays correct.",
  })
  activeChallenge(@Root() user: Account): Promise<Challenge | null> {
    return this.service.findActive(user.id);
  }
}
