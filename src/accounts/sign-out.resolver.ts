import 'reflect-metadata';
import { Authorized, Ctx, Mutation, Resolver } from 'type-graphql';
import type { UserContext } from '../graphql/context.js';
import { Access } from '../graphql/schema.js';
import { Session, SignOutPayload } from './account.payloads.js';
import type { SignedIn } from './account.service.js';
import type { SessionService } from './session.service.js';

@Authorized()
@Resolver()
export class SignOutResolver {
  constructor(private readonly sessions: SessionService) {}

  @Access('SESSION')
  @Mutation(() => SignOutPayload, {
    description:
      'Sign out: end the token that was sent. This process refuses it before it answers, others within 100 ms.',
  })
  async signOut(@Ctx() { caller }: UserContext): Promise<SignOutPayload> {
    return { signedOutAt: await this.sessions.signOut(caller.userId, caller.tokenId) };
  }

  @Access('SESSION')
  @Mutation(() => Session, {
    description:
      'Sign out on all devices: end every token issued until now, and get a new one. API tokens stay; revoke those by themselves.',
  })
  signOutEverywhere(@Ctx() { userId }: UserContext): Promise<SignedIn> {
    return this.sessions.signOutEverywhere(userId);
  }
}
