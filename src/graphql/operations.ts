import { setImmediate } from 'node:timers/promises';
import {
  type DefinitionNode,
  type DocumentNode,
  type ExecutionResult,
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
import { asRequest, currentRequest } from '../base/request.js';
import { askerOf, type Context, noteOperation } from './context.js';
import {
  conditionAtRoot,
  detach,
  execution,
  type KnownDocument,
  KnownDocuments,
  type KnownOperation,
} from './documents.js';
import { formatError, tooDeep } from './errors.js';
import { type Admitted, type Carried, carryOut } from './execution.js';
import { assertWithinLimits, variablesOf, withinAnswerLimit } from './limits.js';
import { type Results, Subscriptions } from './live/subscriptions.js';
import type { GraphqlSettings } from './settings.js';

export interface OperationRequest {
  query: string;
  operationName?: string | null;
  variables?: Record<string, unknown> | null;
}

/**
 * Executes operations that bypass Apollo (WebSocket, event stream and the fast path) with the same checks, limits and
 * errors. Only here may an operation have several results.
 */
export class Operations {
  private readonly format: ReturnType<typeof formatError>;
  /** Operations under way. */
  private readonly running = new Set<Promise<unknown>>();
  /** Results of operations that have changed something. They are formatted when their request is over. */
  private readonly afterChange = new WeakSet<ExecutionResult>();
  private readonly subscriptions: Subscriptions;
  private readonly known: KnownDocuments;

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly settings: Pick<GraphqlSettings, 'config' | 'database' | 'log'>,
  ) {
    this.format = formatError({ ...settings, schema });
    this.subscriptions = new Subscriptions(settings);
    this.known = new KnownDocuments(schema, settings.config.fastPath !== 'off');
  }

  /** Returns the errors in a request, or the operation to run. A subscription takes its share of the quotas here. */
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
      return admitted.operation.operation === OperationTypeNode.SUBSCRIPTION
        ? this.subscriptions.admit(admitted, admitted.cost.requested, query.length)
        : admitted;
    } catch (error) {
      if (error instanceof Refusal) return [refused(error)];
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

  /** A subscription returns a stream of results, unless it is refused. */
  async run(admitted: Admitted): Promise<ExecutionResult | Results> {
    if (admitted.operation.operation === OperationTypeNode.SUBSCRIPTION)
      return this.subscriptions.run(admitted);
    const { databaseTime } = this.settings.config.timeouts;
    const { contextValue } = admitted;
    const asker = askerOf(contextValue);
    const work = async () => {
      const result = await carryOut(admitted);
      if (currentRequest()?.hasChanged) this.afterChange.add(result);
      return result;
    };
    const answer = Promise.resolve(asRequest(databaseTime, work, asker, contextValue.trail));
    this.running.add(answer);
    return answer.finally(() => this.running.delete(answer));
  }

  /** Resolves once all operations under way are answered. Does not wait for subscriptions. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.running);
    await setImmediate(); // an answer is sent a few ticks after its promise settles
  }

  /** The result as it is sent. The operation matters when the answer is too large: a mutation has been applied. */
  formatted(answer: Carried, admitted?: Admitted): FormattedExecutionResult {
    const { data, errors, atMostBytes } = answer;
    const hasChanged = this.afterChange.has(answer) || currentRequest()?.hasChanged;
    const result = {
      ...(errors && { errors: this.eachFormatted(errors, hasChanged) }),
      ...(data !== undefined && { data }),
      ...(admitted?.contextValue.wantsCost && { extensions: { cost: admitted.cost } }),
    };
    const { answer: limit } = this.settings.config.limits;
    return withinAnswerLimit(result, limit, admitted?.operation.operation, atMostBytes);
  }

  formattedErrors(errors: readonly GraphQLError[]): readonly GraphQLFormattedError[] {
    return this.formatted({ errors }).errors ?? [];
  }

  private eachFormatted(errors: readonly GraphQLError[], hasChanged?: boolean): GraphQLFormattedError[] {
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

  /** The result that reports that a whole operation failed. */
  failure(error: unknown): FormattedExecutionResult {
    const cause = error instanceof Error ? error : new Error(String(error));
    return this.formatted({ errors: [new GraphQLError(cause.message, { originalError: cause })] });
  }
}

const isSubscription = (definition: DefinitionNode) =>
  definition.kind === Kind.OPERATION_DEFINITION && definition.operation === OperationTypeNode.SUBSCRIPTION;

export const refused = (refusal: Refusal) => new GraphQLError(refusal.message, { originalError: refusal });

/** Adds the code that Apollo gives to such an error. */
function coded(error: GraphQLError, code: string): GraphQLError {
  const { message, nodes, source, positions, originalError } = error;
  const extensions = { code, ...error.extensions };
  return new GraphQLError(message, { nodes, source, positions, originalError, extensions });
}

const isBadVariable = ({ nodes, path }: GraphQLError) =>
  path === undefined && nodes?.length === 1 && nodes[0]?.kind === Kind.VARIABLE_DEFINITION;
