import 'reflect-metadata';
import { Field, ObjectType } from 'type-graphql';
import { Payload } from '../../graphql/payload.js';
import type { Account } from '../account/account.queries.js';
import { User } from '../account/user.entity.js';
import { OidcProvider } from './identity.payloads.js';

@ObjectType({
  simpleResolvers: true,
  description: 'How people log in to this service, and how they get back into an account.',
})
export class SignInService {
  @Field({
    description:
      'Whether the service sends mails. If it does not, its operator prints links to choose a new password.',
  })
  sendsMail!: boolean;

  @Field({ description: 'Whether new people can sign up with an e-mail address and a password.' })
  isSignUpOpen!: boolean;

  @Field(() => [OidcProvider], { description: 'The providers where people can log in; empty without any.' })
  providers!: OidcProvider[];
}

@Payload()
export class RequestPasswordResetPayload {
  @Field({
    description: 'Always true: the answer does not tell whether there is an account with that address.',
  })
  requested!: boolean;
}

@Payload()
export class ResetPasswordPayload {
  @Field({ description: 'The e-mail address of the account, to log in with next.' })
  email!: string;
}

@Payload()
export class ConfirmEmailPayload {
  @Field(() => User, { description: 'The user whose address was confirmed.' })
  user!: Account;
}

@Payload()
export class RequestEmailConfirmationPayload {
  @Field({
    description:
      'Always true. A confirmed address gets no mail, and nobody gets more than three mails an hour.',
  })
  requested!: boolean;
}

@Payload()
export class UndoEmailChangePayload {
  @Field({
    description: 'The address as it is again. A mail with a link to a new password is on its way to it.',
  })
  email!: string;
}
