import { createSourceEventStream, type FormattedExecutionResult, type GraphQLFormattedError } from 'graphql';
import { Refusal } from '../../base/errors.js';
import { FairSemaphore, Quota } from '../../base/queues/fair-semaphore.js';
import { asRequest } from '../../base/request.js';
import type { Trail } from '../../telemetry/trail.js';
import { askerOf, type Context, noteErrors } from '../context.js';
import { type Admitted, carryOut } from '../execution.js';
import { tooComplex } from '../limits.js';
import { isSubscription, type OperationRequest, type Operations } from '../operations.js';
import type { GraphqlSettings } from '../settings.js';
import { Interrupted } from './events.js';

/** What becomes of one operation, in the frames of its transport. */
export interface Receiver {
  /** Aborted when there is nobody any more to receive results; with a refusal, to be told that. */
  gone: AbortSignal;
  /** The work on it is done, or a subscription is in force: results follow. */
  begin(isSubscription: boolean): void;
  next(result: FormattedExecutionResult): Promise<unknown>;
  /** In place of results, or after them. */
  fail(errors: readonly GraphQLFormattedError[], cause: unknown): unknown;
  /** Changes may have been missed: the client is to connect again, and to read anew. */
  interrupt(): void;
}

/**
 * The queue of the work that events cause, in units of cost: a little begins in each turn of the event loop, and users
 * take turns. Work that waits is never dropped. A user with nothing under way may begin an operation of any cost.
 */
export const eventSemaphore = () =>
  new FairSemaphore({ perTick: 250, ofOne: 1_000, size: 20_000, keepsPermit: true }, null);

/** Of a document with its variables, which a subscription keeps. */
const MAX_CHARACTERS = 16_384;

/** The subscriptions of one user together may cost this many times the maximum of a single one. */
const COSTS_OF_ONE_USER = 20;

/**
 * From an operation to its results, for transports that may send several. The operation of a subscription is carried
 * out again with every event, within quotas, users in turn.
 */
export class Pipeline {
  private readonly quota: Quota;
  private readonly costs: Quota;
  private readonly semaphore = eventSemaphore();
  /** One context per user, so that what all subscriptions of a user ask for at the same time is read together. */
  private readonly contexts = new Map<string | null, Context>();

  constructor(
    private readonly operations: Operations,
    private readonly settings: GraphqlSettings,
  ) {
    const { liveMaxPerUser, liveMaxPerProcess, liveMaxCost } = settings.config;
    this.quota = new Quota('subscriptions', liveMaxPerUser, liveMaxPerProcess);
    this.costs = new Quota('units of cost in subscriptions', COSTS_OF_ONE_USER * liveMaxCost);
  }

  /** Resolves when the operation is over. The request has been read by the time this returns. */
  carry(request: OperationRequest, context: Context, to: Receiver): Promise<void> {
    const fail = (error: unknown) => this.fail(error, context.trail, to);
    const admitted = this.operations.admit(request, context);
    if (Array.isArray(admitted)) return fail(admitted);
    if (!isSubscription(admitted.operation)) return this.answer(admitted, to);
    try {
      const leave = this.reserve(admitted, request.query.length);
      const operation = { ...admitted, variableValues: declaredOf(admitted) };
      return this.follow(operation, to).catch(fail).finally(leave);
    } catch (error) {
      return fail(error);
    }
  }

  /** Tells why there are no more results. What is no fault of the client's is logged where it is formatted. */
  async fail(error: unknown, trail: Trail | undefined, to: Receiver): Promise<void> {
    if (error instanceof Interrupted) return to.interrupt();
    if (to.gone.aborted && error !== to.gone.reason) return;
    const { errors = [], cause } = this.operations.failure(error);
    noteErrors(trail, errors);
    await to.fail(errors, cause);
  }

  private async answer(admitted: Admitted, to: Receiver): Promise<void> {
    const { operations, settings } = this;
    const { contextValue: context } = admitted;
    const work = async () => operations.formatted(await carryOut(admitted), admitted);
    const result = await asRequest(settings.config.timeouts.databaseTime, work, askerOf(context));
    noteErrors(context.trail, result.errors);
    to.begin(false);
    if (!to.gone.aborted) await to.next(result);
  }

  /** Takes a share of the quotas. Returns a function that gives it back. */
  private reserve(operation: Admitted, length: number): () => void {
    const { liveMaxCost } = this.settings.config;
    const { userId } = operation.contextValue;
    const cost = operation.cost.requested;
    const size = length + JSON.stringify(declaredOf(operation)).length;
    if (cost > liveMaxCost) throw tooComplex('cost', liveMaxCost, cost);
    if (size > MAX_CHARACTERS) throw tooComplex('subscription size', MAX_CHARACTERS, size);
    this.quota.check(userId);
    const memory = operation.document.tokenCount ?? 0; // that the document takes
    const leaves = [this.costs.take(userId, cost + memory), this.quota.take(userId)];
    return () => {
      for (const leave of leaves) leave();
      if (!this.quota.isTakenBy(userId)) this.contexts.delete(userId);
    };
  }

  private async follow(operation: Admitted, to: Receiver): Promise<void> {
    const { contextValue: own, cost } = operation;
    const user = own.userId ?? '';
    const contextValue = this.contexts.get(own.userId) ?? own;
    this.contexts.set(own.userId, contextValue);
    const send = (result: Parameters<Operations['formatted']>[0]) => {
      const formatted = this.operations.formatted(result, operation);
      noteErrors(own.trail, formatted.errors);
      return to.next(formatted);
    };
    const source = await createSourceEventStream(operation);
    const isInForce = Symbol.asyncIterator in source;
    to.begin(isInForce);
    if (!isInForce) return void (await send(source));
    const events = source[Symbol.asyncIterator]();
    const end = () => void events.return?.().catch(() => {});
    const resultOf = (rootValue: unknown) => () =>
      to.gone.aborted
        ? undefined
        : this.settings.database.asEvent(user, () => carryOut({ ...operation, contextValue, rootValue }));
    to.gone.addEventListener('abort', end);
    try {
      if (to.gone.aborted) end();
      for (let event = await events.next(); !event.done && !to.gone.aborted; event = await events.next()) {
        const result = await this.semaphore.withPermit(user, resultOf(event.value), cost.requested);
        if (result && !to.gone.aborted) await send(result);
      }
      if (to.gone.reason instanceof Refusal) throw to.gone.reason;
    } finally {
      end();
    }
  }
}

/** Without undeclared variables, which would be kept in memory for nothing. */
function declaredOf({ operation, variableValues }: Admitted): Record<string, unknown> {
  const declared = new Set(operation.variableDefinitions?.map(({ variable }) => variable.name.value));
  return Object.fromEntries(Object.entries(variableValues ?? {}).filter(([name]) => declared.has(name)));
}
