import 'reflect-metadata';
import { Arg, Authorized, Ctx, Field, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import type { Context, UserContext } from '../graphql/context.js';
import { LogInInput, SignUpInput, UpdateProfileInput } from './account.input.js';
import type { Account } from './account.queries.js';
import type { AccountService, SignedIn } from './account.service.js';
import { User } from './user.entity.js';

@ObjectType({ description: 'A way in: send the token as `Authorization: Bearer …`.' })
class Session {
  @Field({ description: 'Signed; valid for 30 days.' })
  token!: string;

  @Field({ description: 'When the token ends.' })
  expiresAt!: Date;

  @Field(() => User, { description: 'Whom it stands for.' })
  user!: Account;
}

@ObjectType({ description: 'The answer to updateProfile.' })
class UpdateProfilePayload {
  @Field(() => User, { description: 'The user as updated.' })
  user!: Account;
}

/** The only door without a lock. */
@Resolver()
export class SessionResolver {
  constructor(private readonly accounts: AccountService) {}

  @Mutation(() => Session, { description: 'Make an account. Needs no token.' })
  signUp(@Arg('input', { description: 'Who you are.' }) input: SignUpInput): Promise<SignedIn> {
    return this.accounts.signUp(input);
  }

  @Mutation(() => Session, { description: 'Get a token for an account. Needs no token.' })
  logIn(
    @Ctx() { address }: Context,
    @Arg('input', { description: 'The way in.' }) input: LogInInput,
  ): Promise<SignedIn> {
    return this.accounts.logIn(input, address);
  }
}

@Authorized()
@Resolver(() => User)
export class AccountResolver {
  constructor(private readonly accounts: AccountService) {}

  @Query(() => User, { description: 'The user whose token it is.' })
  me(@Ctx() { userId }: UserContext): Promise<Account> {
    return this.accounts.get(userId);
  }

  @Mutation(() => UpdateProfilePayload, { description: 'Change your profile.' })
  async updateProfile(
    @Ctx() { userId }: UserContext,
    @Arg('input', { description: 'What is to change.' }) input: UpdateProfileInput,
  ): Promise<UpdateProfilePayload> {
    return { user: await this.accounts.updateProfile(userId, input) };
  }
}
