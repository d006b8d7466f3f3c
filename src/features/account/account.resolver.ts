import 'reflect-metadata';
import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { Context, UserContext } from '../../graphql/context.js';
import { Access } from '../../graphql/schema.js';
import {
  ChangeEmailInput,
  ChangePasswordInput,
  LogInInput,
  SignUpInput,
  UpdateProfileAndDaysInput,
} from './account.input.js';
import {
  ChangeEmailPayload,
  ChangePasswordPayload,
  DeleteMyAccountPayload,
  Session,
  SignOutPayload,
  UpdateProfilePayload,
} from './account.payloads.js';
import type { Account } from './account.queries.js';
import type { AccountService, SignedIn } from './account.service.js';
import { User } from './user.entity.js';

@Resolver()
export class SessionResolver {
  constructor(private readonly accounts: AccountService) {}

  @Access('OPEN')
  @Mutation(() => Session, {
    nullable: true,
    description: 'Sign up: create an account, and get a token for it. Needs no token.',
  })
  signUp(
    @Ctx() { address }: Context,
    @Arg('input', { description: 'The new account.' }) input: SignUpInput,
  ): Promise<SignedIn> {
    return this.accounts.signUp(input, address);
  }

  @Access('OPEN')
  @Mutation(() => Session, {
    nullable: true,
    description: 'Log in: get a token for an existing account. Needs no token.',
  })
  logIn(
    @Ctx() { address }: Context,
    @Arg('input', { description: 'The credentials.' }) input: LogInInput,
  ): Promise<SignedIn> {
    return this.accounts.logIn(input, address);
  }
}

@Resolver(() => User)
export class AccountResolver {
  constructor(private readonly accounts: AccountService) {}

  @Access('READ')
  @Query(() => User, { description: 'The user whose token was sent.' })
  me(@Ctx() { userId }: UserContext): Promise<Account> {
    return this.accounts.get(userId);
  }

  @Access('PROFILE')
  @Mutation(() => UpdateProfilePayload, { nullable: true, description: 'Change your profile.' })
  async updateProfile(
    @Ctx() { caller, address }: UserContext,
    @Arg('input', { description: 'The changes.' }) input: UpdateProfileAndDaysInput,
  ): Promise<UpdateProfilePayload> {
    return { user: await this.accounts.updateProfile(caller, input, address) };
  }

  @Access('SESSION')
  @Mutation(() => ChangePasswordPayload, {
    nullable: true,
    description:
      'Change your password, or give your account one. The address of the account hears of it. A wrong current password counts as a failed log-in.',
  })
  async changePassword(
    @Ctx() { caller, address }: UserContext,
    @Arg('input', { description: 'The passwords.' }) input: ChangePasswordInput,
  ): Promise<ChangePasswordPayload> {
    return { user: await this.accounts.changePassword(caller, input, address) };
  }

  @Access('SESSION')
  @Mutation(() => ChangeEmailPayload, {
    nullable: true,
    description:
      'Change your e-mail address. The former one hears of it, with a link that takes it back. A wrong current password counts as a failed log-in.',
  })
  async changeEmail(
    @Ctx() { caller, address }: UserContext,
    @Arg('input', { description: 'The password and the new address.' }) input: ChangeEmailInput,
  ): Promise<ChangeEmailPayload> {
    return { user: await this.accounts.changeEmail(caller, input, address) };
  }

  @Access('SESSION')
  @Mutation(() => SignOutPayload, {
    nullable: true,
    description:
      'Sign out: end the token that was sent. It is refused from the answer on; where several processes run, mostly within 100 ms, and within five seconds at the latest.',
  })
  async signOut(@Ctx() { caller }: UserContext): Promise<SignOutPayload> {
    return { signedOutAt: await this.accounts.signOut(caller.userId, caller.tokenId) };
  }

  @Access('SESSION')
  @Mutation(() => Session, {
    nullable: true,
    description:
      'Sign out on all devices: end every token that was issued until now, and get a new one. API tokens stay valid until you delete them, and webhooks go on until you delete them.',
  })
  signOutEverywhere(@Ctx() { caller }: UserContext): Promise<SignedIn> {
    return this.accounts.signOutEverywhere(caller);
  }

  @Access('SESSION')
  @Mutation(() => DeleteMyAccountPayload, {
    nullable: true,
    description:
      'Delete your account and everything in it, for good: tasks, completions, challenges. All tokens end. A wrong password counts as a failed log-in.',
  })
  deleteMyAccount(
    @Ctx() { caller, address }: UserContext,
    @Arg('password', () => String, {
      nullable: true,
      description:
        'Your password. If your account has none, leave it out: this session must then have begun at your provider in the last five minutes.',
    })
    password: string | null | undefined,
  ): Promise<DeleteMyAccountPayload> {
    return this.accounts.deleteMine(caller, password ?? undefined, address);
  }
}
