import 'reflect-metadata';
import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { inputFrom } from '../../base/validation.js';
import type { Context, UserContext } from '../../graphql/context.js';
import { Access } from '../../graphql/schema.js';
import { accountLimits } from '../account/limits.js';
import type { RecoveryService } from './recovery.service.js';
import { LinkInput, RequestPasswordResetInput, ResetPasswordInput } from './sign-in.input.js';
import {
  ConfirmEmailPayload,
  RequestEmailConfirmationPayload,
  RequestPasswordResetPayload,
  ResetPasswordPayload,
  SignInService,
  UndoEmailChangePayload,
} from './sign-in.payloads.js';

/** Open to everybody: whoever is locked out has no token. */
@Resolver()
export class RecoveryResolver {
  constructor(
    private readonly recovery: RecoveryService,
    private readonly ways: (origin: () => string) => SignInService,
  ) {}

  @Access('OPEN')
  @Query(() => SignInService, {
    description:
      'How people log in to this service, and how they get back into an account. This needs no token.',
  })
  signInService(@Ctx() { origin }: Context): SignInService {
    return this.ways(origin);
  }

  @Access('OPEN')
  @Mutation(() => RequestPasswordResetPayload, {
    nullable: true,
    description:
      'Ask for a mail with a link to choose a new password. Needs no token. The answer is the same whether there is such an account or not, and when too many mails were asked for.',
  })
  async requestPasswordReset(
    @Ctx() { address }: Context,
    @Arg('email', { description: 'The e-mail address of the account, whatever its case.' }) email: string,
  ): Promise<RequestPasswordResetPayload> {
    await this.recovery.requestReset(inputFrom(RequestPasswordResetInput, { email }), address);
    return { requested: true };
  }

  @Access('OPEN')
  @Mutation(() => ResetPasswordPayload, {
    nullable: true,
    description:
      'Choose a new password with the token of a link. Needs no token of a session, and begins none. All sessions and API tokens of the account end.',
  })
  async resetPassword(
    @Ctx() { address }: Context,
    @Arg('token', { description: 'The token of the link, which follows `#reset=`. It works once.' })
    token: string,
    @Arg('newPassword', {
      description: `The new password: at least ${accountLimits.passwordMin} characters.`,
    })
    newPassword: string,
  ): Promise<ResetPasswordPayload> {
    const input = inputFrom(ResetPasswordInput, { token, newPassword });
    return { email: await this.recovery.resetPassword(input, address) };
  }

  @Access('OPEN')
  @Mutation(() => ConfirmEmailPayload, {
    nullable: true,
    description:
      'Confirm an e-mail address with the token of a link. Needs no token of a session. A token that was used is refused with the outcome `APPLIED`.',
  })
  async confirmEmail(
    @Ctx() { address }: Context,
    @Arg('token', { description: 'The token of the link, which follows `#confirm=`. It works once.' })
    token: string,
  ): Promise<ConfirmEmailPayload> {
    return { user: await this.recovery.confirmEmail(inputFrom(LinkInput, { token }), address) };
  }

  @Access('OPEN')
  @Mutation(() => UndoEmailChangePayload, {
    nullable: true,
    description:
      'Take a change of the e-mail address back, with the token of the link that the former address was sent. Needs no token of a session. All sessions and API tokens end, and the password is void: a mail with a link to a new one is on its way.',
  })
  async undoEmailChange(
    @Ctx() { address }: Context,
    @Arg('token', { description: 'The token of the link, which follows `#undo-email=`. It works once.' })
    token: string,
  ): Promise<UndoEmailChangePayload> {
    return { email: await this.recovery.undoEmailChange(inputFrom(LinkInput, { token }), address) };
  }
}

@Resolver()
export class ConfirmationResolver {
  constructor(private readonly recovery: RecoveryService) {}

  @Access('SESSION')
  @Mutation(() => RequestEmailConfirmationPayload, {
    nullable: true,
    description: 'Ask for another mail with a link that confirms your e-mail address.',
  })
  async requestEmailConfirmation(
    @Ctx() { caller, address }: UserContext,
  ): Promise<RequestEmailConfirmationPayload> {
    await this.recovery.requestConfirmation(caller, address);
    return { requested: true };
  }
}
