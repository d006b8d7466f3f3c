import 'reflect-metadata';
import { Field, ID, ObjectType } from 'type-graphql';
import { Payload } from '../../graphql/payload.js';
import type { Account } from './account.queries.js';
import { TOKEN_DAYS } from './tokens.js';
import { User } from './user.entity.js';

@ObjectType({
  simpleResolvers: true,
  description: 'The result of signing up or logging in. Send the token as `Authorization: Bearer …`.',
})
export class Session {
  @Field({ description: `A signed token, valid for ${TOKEN_DAYS} days.` })
  token!: string;

  @Field({ description: 'When the token expires.' })
  expiresAt!: Date;

  @Field(() => User, { description: 'The user who signed up or logged in.' })
  user!: Account;
}

@Payload()
export class SignOutPayload {
  @Field({ description: 'When the token ended.' })
  signedOutAt!: Date;
}

@Payload()
export class UpdateProfilePayload {
  @Field(() => User, { description: 'The updated user.' })
  user!: Account;
}

@Payload()
export class ChangePasswordPayload {
  @Field(() => User, { description: 'The user, whose tokens stay valid.' })
  user!: Account;
}

@Payload()
export class ChangeEmailPayload {
  @Field(() => User, { description: 'The user, with the new address.' })
  user!: Account;
}

@Payload()
export class DeleteMyAccountPayload {
  @Field(() => ID, { description: 'The id that the user had.' })
  deletedId!: string;

  @Field({ description: 'When the account was deleted.' })
  deletedAt!: Date;
}
