import type { GraphQLField, GraphQLFieldResolver, GraphQLSchema } from 'graphql';
import { Extensions } from 'type-graphql';
import { type Access as AccessName, assertMay } from '../scopes.js';
import type { Context } from './context.js';

type Field = GraphQLField<unknown, Context>;

/** Who may ask for a query, mutation or subscription. Each has to say so, or there is no schema. */
export const Access = (access: AccessName) => Extensions({ access });

export const accessOf = ({ extensions }: Pick<Field, 'extensions'>): AccessName | undefined =>
  extensions.access as AccessName | undefined;

/** Callers without a token are refused by `@Authorized()`. */
export function refuseMissingScopes(schema: GraphQLSchema): void {
  for (const type of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      const access = accessOf(field);
      if (access === undefined) throw new Error(`${type?.name}.${field.name} has no @Access`);
      if (access === 'OPEN') continue;
      if (field.resolve) field.resolve = guarded(field.resolve, access);
      if (field.subscribe) field.subscribe = guarded(field.subscribe, access);
    }
  }
}

const guarded =
  (resolve: GraphQLFieldResolver<unknown, Context>, access: AccessName): Field['resolve'] =>
  (source, args, context, info) => {
    if (context.caller) assertMay(context.caller.scopes, access);
    return resolve(source, args, context, info);
  };
