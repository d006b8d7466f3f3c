import {
  type DefinitionNode,
  type DocumentNode,
  type FormattedExecutionResult,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  Kind,
  OperationTypeNode,
  parse,
  validate,
} from 'graphql';
import { Refusal } from '../base/errors.js';
import { currentRequest } from '../base/request.js';
import { type Context, noteOperation } from './context.js';
import {
  conditionAtRoot,
  detach,
  execution,
  type KnownDocument,
  KnownDocuments,
  type KnownOperation,
} from './documents.js';
import { formatError, tooDeep } from './errors.js';
import type { Admitted, Carried } from './execution.js';
import { assertWithinLimits, variablesOf, withinAnswerLimit } from './limits.js';
import type { GraphqlSettings } from './settings.js';

export interface OperationRequest {
  query: string;
  operationName?: string | null;
  variables?: Record<string, unknown> | null;
  extensions?: unknown;
}

/**
 * Executes operations that bypass Apollo (WebSocket, event stream and the fast path) with the same checks, limits and
 * errors.
 */
export class Operations {
  private readonly format: ReturnType<typeof formatError>;
  private readonly known: KnownDocuments;

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly settings: Pick<GraphqlSettings, 'config' | 'log'>,
  ) {
    this.format = formatError({ ...settings, schema });
    this.known = new KnownDocuments(schema, settings.config.fastPath !== 'off');
  }

  /** Returns the errors in a request, or the operation to run. */
  admit(request: OperationRequest, contextValue: Context): Admitted | GraphQLError[] {
    const { query, operationName } = request;
    try {
      const known = this.known.get(query) ?? this.read(query);
      if (Array.isArray(known)) return known;
      const operation = known.operationFor(operationName);
      if (!operation) {
        const message = operationName
          ? `Unknown operation named "${operationName}".`
          : 'Must provide operation name if query contains multiple operations.';
        return [coded(new GraphQLError(message), 'OPERATION_RESOLUTION_FAILURE')];
      }
      const admitted = this.within(known, operation, request, contextValue);
      noteOperation(contextValue.trail, admitted.operation, admitted.rootFields);
      return admitted;
    } catch (error) {
      if (error instanceof Refusal) return [asGraphql(error)];
      const cause = error instanceof RangeError ? tooDeep() : error;
      if (!(cause instanceof GraphQLError)) throw cause;
      return [coded(cause, 'GRAPHQL_PARSE_FAILED')];
    }
  }

  /**
   * The operation of a known document, if everything about the request is as usual: Apollo answers all others. Never
   * a subscription.
   */
  admitUsual(request: OperationRequest, contextValue: Context): Admitted | undefined {
    if (this.settings.config.fastPath === 'off') return undefined;
    try {
      const known = this.known.get(request.query) ?? this.readForFastPath(request.query);
      const operation = known?.operationFor(request.operationName);
      if (!known || !operation || isSubscription(operation.definition)) return undefined;
      const admitted = this.within(known, operation, request, contextValue);
      return admitted.coerced ? admitted : undefined;
    } catch (error) {
      if (error instanceof GraphQLError || error instanceof RangeError) return undefined;
      throw error;
    }
  }

  private readForFastPath(text: string): KnownDocument | undefined {
    if (this.settings.config.fastPath !== 'always') return undefined;
    const read = this.read(text);
    return Array.isArray(read) ? undefined : read;
  }

  /** Remembers a document that Apollo has found valid, without subscriptions. */
  learn(text: string, document: DocumentNode): void {
    if (!document.definitions.some(isSubscription) && !this.known.get(text)) this.known.add(text, document);
  }

  /** Reads and checks a document, as Apollo does. Returns what is wrong with it. */
  private read(text: string): KnownDocument | GraphQLError[] {
    const { limits } = this.settings.config;
    const document = parse(text, { maxTokens: limits.tokens });
    detach(document);
    const condition = conditionAtRoot(document);
    if (condition) return [condition];
    const errors = validate(this.schema, document);
    return errors.length > 0
      ? errors.map((error) => coded(error, 'GRAPHQL_VALIDATION_FAILED'))
      : this.known.add(text, document);
  }

  private within(
    known: KnownDocument,
    operation: KnownOperation,
    { operationName, variables }: OperationRequest,
    contextValue: Context,
  ): Admitted {
    const { schema } = this;
    const { definition, plan, rootFields } = operation;
    const { coerced } = variablesOf(schema, definition, variables ?? {});
    const size = known.sizeOf(operation, coerced ?? variables ?? {});
    const cost = assertWithinLimits(size, this.settings.config.limits);
    const { document } = known;
    const given = {
      schema,
      document,
      operationName,
      variableValues: variables,
      contextValue,
      options: execution,
    };
    return { ...given, operation: definition, plan, coerced, cost, rootFields };
  }

  /** The result as it is sent. The operation matters when the answer is too large: a mutation has been applied. */
  formatted(answer: Carried, admitted?: Admitted): FormattedExecutionResult {
    const { data, errors, atMostBytes } = answer;
    const result = {
      ...(errors && { errors: this.eachFormatted(errors) }),
      ...(data !== undefined && { data }),
      ...(admitted?.contextValue.wantsCost && { extensions: { cost: admitted.cost } }),
    };
    const { answer: limit } = this.settings.config.limits;
    return withinAnswerLimit(result, limit, admitted?.operation.operation, atMostBytes);
  }

  private eachFormatted(errors: readonly GraphQLError[]): GraphQLFormattedError[] {
    const hasChanged = currentRequest()?.hasChanged;
    return errors.map((error) => {
      const { http: _, ...extensions } = error.extensions;
      const code = isBadVariable(error) ? 'BAD_USER_INPUT' : 'INTERNAL_SERVER_ERROR';
      const formatted = { ...error.toJSON(), extensions: { code, ...extensions } };
      // An error that ended a subscription has no path, like an error in the request; its original error is what
      // counts.
      const isOwn = error.path === undefined && error.nodes === undefined && error.originalError;
      return this.format(formatted, isOwn ? error.originalError : error, hasChanged);
    });
  }

  /** What the client is told where a whole operation has failed, or of the errors in its request; and why. */
  failure(error: unknown): { errors: readonly GraphQLFormattedError[]; cause: unknown } {
    const given: GraphQLError[] = Array.isArray(error) ? error : [asGraphql(error)];
    const cause = given.find(({ originalError }) => originalError instanceof Refusal)?.originalError;
    return { errors: this.formatted({ errors: given }).errors ?? [], cause };
  }
}

export function isOperation(body: unknown): body is OperationRequest {
  const { query, operationName, variables } = (body ?? {}) as Record<string, unknown>;
  const isName = operationName === undefined || operationName === null || typeof operationName === 'string';
  const isObject = typeof variables === 'object' && !Array.isArray(variables);
  return typeof query === 'string' && isName && (variables === undefined || isObject);
}

export const isSubscription = (definition: DefinitionNode) =>
  definition.kind === Kind.OPERATION_DEFINITION && definition.operation === OperationTypeNode.SUBSCRIPTION;

function asGraphql(error: unknown): GraphQLError {
  if (error instanceof GraphQLError) return error;
  const originalError = error instanceof Error ? error : new Error(String(error));
  return new GraphQLError(originalError.message, { originalError });
}

/** Adds the code that Apollo gives to such an error. */
function coded(error: GraphQLError, code: string): GraphQLError {
  const { message, nodes, source, positions, originalError } = error;
  const extensions = { code, ...error.extensions };
  return new GraphQLError(message, { nodes, source, positions, originalError, extensions });
}

const isBadVariable = ({ nodes, path }: GraphQLError) =>
  path === undefined && nodes?.length === 1 && nodes[0]?.kind === Kind.VARIABLE_DEFINITION;
