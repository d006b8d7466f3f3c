import 'reflect-metadata';
import { Field, ID, ObjectType } from 'type-graphql';
import { ApiScope } from '../../base/scopes.js';
import { Payload } from '../../graphql/payload.js';
import type { Account } from './account.queries.js';
import { User } from './user.entity.js';

@ObjectType('ApiToken', {
  simpleResolvers: true,
  description: 'A token for a script or a device. The token itself is shown once, when it is created.',
})
export class ShownApiToken {
  @Field(() => ID, { description: 'The id of the API token: a UUID.' })
  id!: string;

  @Field({ description: 'What the token is for.' })
  name!: string;

  @Field(() => [ApiScope], { description: 'What the token may do.' })
  scopes!: ApiScope[];

  @Field({ description: 'The last four characters of the token, to tell tokens apart.' })
  ending!: string;

  @Field({ description: 'When the token was created.' })
  createdAt!: Date;

  @Field(() => Date, { nullable: true, description: 'When the token ends; null means never.' })
  expiresAt!: Date | null;

  @Field(() => Date, {
    nullable: true,
    description: 'When the token was last used, to about a minute; null if it was not used yet.',
  })
  lastUsedAt!: Date | null;
}

@Payload()
export class CreateApiTokenPayload {
  @Field({ description: 'The token, which is shown only now. Send it as `Authorization: Bearer …`.' })
  token!: string;

  @Field(() => ShownApiToken, { description: 'The new API token.' })
  apiToken!: ShownApiToken;
}

@Payload()
export class DeleteApiTokenPayload {
  @Field(() => ID, { description: 'The id that the API token had.' })
  deletedId!: string;

  @Field(() => User, { description: 'The user as it is now.' })
  user!: () => Promise<Account>;
}
