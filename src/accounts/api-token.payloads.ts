import 'reflect-metadata';
import { Field, ID, ObjectType } from 'type-graphql';
import { ApiScope } from '../scopes.js';

@ObjectType('ApiToken', {
  simpleResolvers: true,
  description: 'A token for a script or a device. The token itself is shown once, when it is created.',
})
export class ShownApiToken {
  @Field(() => ID, { description: 'Identifies it among all API tokens.' })
  id!: string;

  @Field({ description: 'What it is for.' })
  name!: string;

  @Field(() => [ApiScope], { description: 'What it may do.' })
  scopes!: ApiScope[];

  @Field({ description: 'The last four characters, to tell tokens apart.' })
  ending!: string;

  @Field({ description: 'When it was created.' })
  createdAt!: Date;

  @Field(() => Date, { nullable: true, description: 'When it ends; null: never.' })
  expiresAt!: Date | null;

  @Field(() => Date, {
    nullable: true,
    description: 'When it was last used, to about a minute; null: not yet.',
  })
  lastUsedAt!: Date | null;
}

@ObjectType({ simpleResolvers: true, description: 'The answer to createApiToken.' })
export class CreateApiTokenPayload {
  @Field({ description: 'The token, shown this once. Send it as `Authorization: Bearer …`.' })
  token!: string;

  @Field(() => ShownApiToken, { description: 'The new API token.' })
  apiToken!: ShownApiToken;
}

@ObjectType({ simpleResolvers: true, description: 'The answer to revokeApiToken.' })
export class RevokeApiTokenPayload {
  @Field(() => ShownApiToken, { description: 'The API token that was revoked.' })
  apiToken!: ShownApiToken;
}
