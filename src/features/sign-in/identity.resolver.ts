import 'reflect-metadata';
import { Arg, Ctx, FieldResolver, ID, Mutation, Resolver, Root } from 'type-graphql';
import { inputFrom } from '../../base/validation.js';
import { batched } from '../../graphql/batching.js';
import type { Context, UserContext } from '../../graphql/context.js';
import { Access } from '../../graphql/schema.js';
import { Session } from '../account/account.payloads.js';
import type { Account } from '../account/account.queries.js';
import type { AccountService, SignedIn } from '../account/account.service.js';
import { User } from '../account/user.entity.js';
import { ConnectIdentityPayload, DeleteIdentityPayload, IdentityOfUser } from './identity.payloads.js';
import type { ConnectedIdentity, IdentityService } from './identity.service.js';
import { cookieIn, EXCHANGE_COOKIE } from './oidc/flow.js';
import type { OidcEntry } from './oidc/oidc.js';
import { CodeInput } from './sign-in.input.js';
import { noProvider } from './sign-in.refusals.js';

/** Open to everybody: whoever comes back from the provider has no token yet. */
@Resolver()
export class ExchangeResolver {
  constructor(private readonly identities: IdentityService) {}

  @Access('OPEN')
  @Mutation(() => Session, {
    nullable: true,
    description:
      'Get a session for the code that a log-in at the provider has come back with. Only the browser that came back can do this, with its cookie, once, and within a minute. If the log-in was begun with connectIdentity, send the token of that session too.',
  })
  exchangeLogIn(
    @Ctx() { cookie, caller, address }: Context,
    @Arg('code', { description: 'The code, which follows `#login=` in the address of the page.' })
    code: string,
  ): Promise<SignedIn> {
    const input = inputFrom(CodeInput, { code });
    return this.identities.exchange(input.code, cookieIn(cookie, EXCHANGE_COOKIE) ?? '', caller, address);
  }
}

@Resolver()
export class IdentityResolver {
  constructor(
    private readonly service: IdentityService,
    private readonly accounts: AccountService,
    private readonly oidc: OidcEntry | undefined,
  ) {}

  @Access('SESSION')
  @Mutation(() => ConnectIdentityPayload, {
    nullable: true,
    description: 'Connect your account with your log-in at a provider. That log-in then opens your account.',
  })
  connectIdentity(@Ctx() { caller, origin }: UserContext): ConnectIdentityPayload {
    if (!this.oidc) throw noProvider();
    return { url: this.oidc.connectUrl(caller, origin) };
  }

  @Access('SESSION')
  @Mutation(() => DeleteIdentityPayload, {
    nullable: true,
    description:
      'Delete the connection of a log-in at a provider with your account. The last way to log in cannot be taken away.',
  })
  async deleteIdentity(
    @Ctx() { caller }: UserContext,
    @Arg('id', () => ID, { description: 'The log-in at a provider to disconnect.' }) id: string,
  ): Promise<DeleteIdentityPayload> {
    await this.service.delete(caller, id);
    return { deletedId: id, user: await this.accounts.get(caller.userId) };
  }
}

@Resolver(() => User)
export class UserIdentities {
  constructor(private readonly service: IdentityService) {}

  @FieldResolver(() => [IdentityOfUser], {
    description: 'The log-ins at providers that open this account, oldest first.',
  })
  identities(@Root() { id }: Account, @Ctx() context: Context): Promise<ConnectedIdentity[]> {
    return this.identitiesOf(context, id);
  }

  private readonly identitiesOf = batched((userIds: readonly string[]) => this.service.listOf(userIds));
}
