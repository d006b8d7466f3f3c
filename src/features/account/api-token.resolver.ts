import 'reflect-metadata';
import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import type { UserContext } from '../../graphql/context.js';
import { Access } from '../../graphql/schema.js';
import type { AccountService } from './account.service.js';
import { CreateApiTokenInput } from './api-token.input.js';
import { CreateApiTokenPayload, DeleteApiTokenPayload, ShownApiToken } from './api-token.payloads.js';
import type { ApiTokenService } from './api-token.service.js';
import { accountLimits } from './limits.js';

@Resolver()
export class ApiTokenResolver {
  constructor(
    private readonly service: ApiTokenService,
    private readonly accounts: AccountService,
  ) {}

  @Access('SESSION')
  @Query(() => [ShownApiToken], {
    description:
      'Your API tokens, newest first, including those that have ended. An API token cannot ask for this.',
  })
  apiTokens(@Ctx() { userId }: UserContext): Promise<ShownApiToken[]> {
    return this.service.list(userId);
  }

  @Access('SESSION')
  @Mutation(() => CreateApiTokenPayload, {
    nullable: true,
    description: `Create a token for a script or a device. You can have at most ${accountLimits.apiTokens}. An API token cannot do this.`,
  })
  createApiToken(
    @Ctx() { caller }: UserContext,
    @Arg('input', { description: 'The new API token.' }) input: CreateApiTokenInput,
  ): Promise<CreateApiTokenPayload> {
    return this.service.create(caller, input);
  }

  @Access('SESSION')
  @Mutation(() => DeleteApiTokenPayload, {
    nullable: true,
    description:
      'Delete an API token. It is refused from the answer on; where several processes run, mostly within 100 ms, and within five seconds at the latest. An API token cannot do this.',
  })
  async deleteApiToken(
    @Ctx() { userId }: UserContext,
    @Arg('id', () => ID, { description: 'The API token to delete.' }) id: string,
  ): Promise<DeleteApiTokenPayload> {
    await this.service.delete(userId, id);
    return { deletedId: id, user: () => this.accounts.get(userId) };
  }
}
