import type { ApolloServerPlugin } from '@apollo/server';
import type { DocumentNode, GraphQLFormattedError, OperationDefinitionNode } from 'graphql';
import type { Reason } from '../errors.js';
import { beginOperation } from '../telemetry/spans.js';
import type { OperationTrail, Trail } from '../telemetry/trail.js';
import type { Context } from './context.js';
import { rootFieldsOf } from './documents.js';
import type { Admitted } from './execution.js';

const trailOf = ({ operation, name }: OperationDefinitionNode, rootFields: readonly string[]) => ({
  type: operation as OperationTrail['type'],
  name: name?.value,
  rootFields,
});

export function noteOperation(trail: Trail | undefined, admitted: Admitted, isFast = false): void {
  if (trail) begin(trail, { ...trailOf(admitted.operation, admitted.rootFields), isFast });
}

function begin(trail: Trail, operation: OperationTrail): void {
  trail.operation = operation;
  beginOperation(trail, operation);
}

/** The first error tells why an operation was refused. */
export function noteErrors(
  trail: Trail | undefined,
  errors?: readonly Pick<GraphQLFormattedError, 'extensions'>[],
): void {
  const extensions = errors?.[0]?.extensions;
  if (!trail || !extensions) return;
  trail.code = String(extensions.code);
  trail.reason = extensions.reason as Reason;
}

/** Does the same for what Apollo carries out. */
export const noting: ApolloServerPlugin<Context> = {
  requestDidStart: async ({ contextValue: { trail } }) => ({
    didResolveOperation: async ({ document, operation }) => {
      if (trail && operation) begin(trail, { ...ofApollo(document, operation), isFast: false });
    },
    willSendResponse: async ({ response: { body } }) => {
      if (body.kind === 'single') noteErrors(trail, body.singleResult.errors);
    },
  }),
};

const ofApollo = (document: DocumentNode, operation: OperationDefinitionNode) =>
  trailOf(operation, rootFieldsOf(document, operation));
