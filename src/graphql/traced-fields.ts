import type { GraphQLSchema } from 'graphql';
import { asRootField } from '../telemetry/spans.js';
import type { Context } from './context.js';

/** Gives each query and mutation a span. Call it only while traces are made: all others go without the detour. */
export function traceRootFields(schema: GraphQLSchema): void {
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      const { resolve } = field;
      if (!resolve) continue;
      field.resolve = (source, args, context: Context, info) =>
        asRootField(context.trail, field.name, () => resolve(source, args, context, info));
    }
  }
}
