import 'reflect-metadata';
import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import type { UserContext } from '../graphql/context.js';
import { Access } from '../graphql/schema.js';
import { limits } from '../validation.js';
import { CreateApiTokenInput } from './api-token.input.js';
import { CreateApiTokenPayload, RevokeApiTokenPayload, ShownApiToken } from './api-token.payloads.js';
import type { ApiTokenService } from './api-token.service.js';

@Resolver()
export class ApiTokenResolver {
  constructor(private readonly service: ApiTokenService) {}

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
    description: `Create a token for a script or a device. You can have at most ${limits.apiTokens}. An API token cannot do this.`,
  })
  createApiToken(
    @Ctx() { caller }: UserContext,
    @Arg('input', { description: 'The new API token.' }) input: CreateApiTokenInput,
  ): Promise<CreateApiTokenPayload> {
    return this.service.create(caller, input);
  }

  @Access('SESSION')
  @Mutation(() => RevokeApiTokenPayload, {
    nullable: true,
    description:
      'Revoke an API token: this process refuses it before it answers, others within 100 ms. An API token cannot do this.',
  })
  async revokeApiToken(
    @Ctx() { userId }: UserContext,
    @Arg('id', () => ID, { description: 'The API token to revoke.' }) id: string,
  ): Promise<RevokeApiTokenPayload> {
    return { apiToken: await this.service.revoke(userId, id) };
  }
}
