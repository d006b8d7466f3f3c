import { declaredSchema } from '../../src/app.js';
import { accessOf } from '../../src/graphql/schema.js';
import { type Asker, type Draw, graphqlOperations, plainly, valuesFor } from '../support/operations.js';

const nobody: Asker = { idOf: () => 0, email: () => 'bea@example.com' };

/** Of answers no more than an id. */
const barely: Draw = (options) => options.at(-1) as (typeof options)[number];

const schema = declaredSchema();

const isGuarded = (name: string) => {
  const field = { ...schema.getQueryType()?.getFields(), ...schema.getMutationType()?.getFields() }[name];
  return field !== undefined && accessOf(field) !== 'OPEN';
};

/** Every root field behind the lock, by its name: asked plainly, and of rows for what is not there. */
export const guardedFields: Record<string, { query: string; variables: Record<string, unknown> }> =
  Object.fromEntries(
    graphqlOperations(schema).flatMap(({ name, places, request }) => {
      const [root, field = ''] = name.split('.');
      const { body = '' } = request(valuesFor(places, nobody, plainly), nobody, barely);
      return root !== 'Subscription' && isGuarded(field) ? [[field, JSON.parse(body)]] : [];
    }),
  );
