import 'reflect-metadata';
import { Field, ID, ObjectType } from 'type-graphql';
import { Payload } from '../../graphql/payload.js';
import type { Account } from '../account/account.queries.js';
import { User } from '../account/user.entity.js';

@ObjectType({ simpleResolvers: true, description: 'A provider of OpenID Connect, where people can log in.' })
export class OidcProvider {
  @Field(() => ID, { description: 'The id of the provider.' })
  id!: string;

  @Field({ description: 'The name of the provider, as people know it and as the button shows it.' })
  name!: string;

  @Field({ description: 'Where the log-in begins: a browser opens this address.' })
  url!: string;

  @Field(() => String, {
    nullable: true,
    description:
      'The address at which a browser ends its session at the provider too; null if the provider has none.',
  })
  signOutUrl!: string | null;
}

@ObjectType('Identity', {
  simpleResolvers: true,
  description: 'A log-in at a provider that opens an account.',
})
export class IdentityOfUser {
  @Field(() => ID, { description: 'The id: a UUID.' })
  id!: string;

  @Field({ description: 'The name of the provider, as people know it.' })
  provider!: string;

  @Field({ description: 'When the two were connected.' })
  connectedAt!: Date;
}

@Payload()
export class ConnectIdentityPayload {
  @Field({
    description:
      'Open this address in the browser. It comes back with a code for exchangeLogIn, which connects the log-in with your account if the token of this session is sent along.',
  })
  url!: string;
}

@Payload()
export class DeleteIdentityPayload {
  @Field(() => ID, { description: 'The id that the log-in had here.' })
  deletedId!: string;

  @Field(() => User, { description: 'The user.' })
  user!: Account;
}
