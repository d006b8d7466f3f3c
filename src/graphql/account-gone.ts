import { type GraphQLSchema, isIntrospectionType, isObjectType } from 'graphql';
import { unlessGone } from '../errors.js';
import { accessOf } from './access.js';
import { batched } from './batching.js';
import type { Context } from './context.js';

/**
 * When a resolver finds nothing or refuses an argument, first checks whether the account of the token is gone. Fields
 * that ask at the same time share one check. Only root fields and fields with arguments are wrapped: a TypeGraphQL
 * middleware would run around every field of every row.
 */
export function refuseGoneAccounts(
  schema: GraphQLSchema,
  assertExists: (userId: string) => Promise<void>,
): void {
  const askOnce = batched(async (userIds: readonly string[]) => {
    await Promise.all([...new Set(userIds)].map(assertExists));
    return userIds.map(() => undefined);
  });
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      if (accessOf(field) === 'OPEN') continue; // a token that is sent along is not looked at, as in REST
      const { resolve } = field;
      if (!resolve || (!roots.includes(type) && field.args.length === 0)) continue;
      field.resolve = (source, args, context: Context, info) => {
        const { userId } = context;
        const answer = () => resolve(source, args, context, info);
        return userId === null ? answer() : unlessGone(answer, () => askOnce(context, userId));
      };
    }
  }
}
