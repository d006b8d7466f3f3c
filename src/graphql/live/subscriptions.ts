import { createSourceEventStream, type ExecutionResult } from 'graphql';
import { overloaded, tooManyAtOnce } from '../../base/errors.js';
import { Counts, Line } from '../../base/queues/line.js';
import type { Context } from '../context.js';
import { type Admitted, carryOut } from '../execution.js';
import { tooComplex } from '../limits.js';
import type { GraphqlSettings } from '../settings.js';

/** The results of a subscription that is in force. `over` resolves when there will be no more. */
export type Results = AsyncGenerator<ExecutionResult, void, void> & { over: Promise<void> };

/** A quota: limits how much one user, and all users together, may hold at a time. */
export class Quota {
  private readonly taken = new Counts();

  constructor(
    private readonly what: string,
    private readonly ofOne: number,
    private readonly ofAll = Infinity,
  ) {}

  /** Refuses what is too much. All callers without an account count as one user. */
  check(userId: string | null, amount = 1): void {
    const { ofOne, ofAll, what } = this;
    if (this.taken.of(userId ?? '') + amount > ofOne)
      throw tooManyAtOnce(`At most ${ofOne} ${what} at a time for one user`);
    if (this.taken.total + amount > ofAll) throw overloaded();
  }

  /** Returns a function that gives it back, to be called once. */
  take(userId: string | null, amount = 1): () => void {
    this.check(userId, amount);
    this.taken.add(userId ?? '', amount);
    return () => this.taken.add(userId ?? '', -amount);
  }

  isTakenBy(userId: string | null): boolean {
    return this.taken.of(userId ?? '') > 0;
  }
}

/**
 * The line of the work that events cause, in units of cost: a little begins in each turn of the event loop, and users
 * take turns. Work that waits is never dropped. A user with nothing under way may begin an operation of any cost.
 */
export const lineOfOperations = () =>
  new Line({ perTurn: 250, ofOne: 1_000, size: 20_000, keepsSlot: true }, null);

/** Of a document with its variables, which a subscription keeps. */
const MAX_CHARACTERS = 16_384;

/** The subscriptions of one user together may cost this many times the maximum of a single one. */
const COSTS_OF_ONE_USER = 20;

const DONE = { done: true, value: undefined } as const;

/** Runs the operation of each subscription again with every event, within quotas, users in turn. */
export class Subscriptions {
  private readonly quota: Quota;
  private readonly costs: Quota;
  private readonly line = lineOfOperations();
  /** One context per user, so that what all subscriptions of a user ask for at the same time is read together. */
  private readonly contexts = new Map<string | null, Context>();

  constructor(private readonly settings: Pick<GraphqlSettings, 'config' | 'database'>) {
    const { liveMaxPerUser, liveMaxPerProcess, liveMaxCost } = settings.config;
    this.quota = new Quota('subscriptions', liveMaxPerUser, liveMaxPerProcess);
    this.costs = new Quota('units of cost in subscriptions', COSTS_OF_ONE_USER * liveMaxCost);
  }

  /** Checks the quotas and takes a share of them. `cost` is per event, `length` is that of the document's text. */
  admit(operation: Admitted, cost: number, length: number): Admitted {
    const { liveMaxCost } = this.settings.config;
    const { userId } = operation.contextValue;
    const variableValues = declaredOf(operation);
    const size = length + JSON.stringify(variableValues).length;
    if (cost > liveMaxCost) throw tooComplex('cost', liveMaxCost, cost);
    if (size > MAX_CHARACTERS) throw tooComplex('subscription size', MAX_CHARACTERS, size);
    this.quota.check(userId);
    const memory = operation.document.tokenCount ?? 0; // that the document takes
    const leaves = [this.costs.take(userId, cost + memory), this.quota.take(userId)];
    const leave = () => {
      for (const each of leaves) each();
      if (!this.quota.isTakenBy(userId)) this.contexts.delete(userId);
    };
    return { ...operation, variableValues, reservation: { cost, leave } };
  }

  /** Returns a stream of results, unless it is refused. */
  async run({ reservation, ...operation }: Admitted): Promise<ExecutionResult | Results> {
    const { cost = 0, leave = () => {} } = reservation ?? {};
    const over = Promise.withResolvers<void>();
    over.promise.then(leave);
    const source = await createSourceEventStream(operation).catch((error: unknown) => {
      over.resolve();
      throw error;
    });
    if (Symbol.asyncIterator in source)
      return this.resultsOf(source[Symbol.asyncIterator](), operation, cost, over);
    over.resolve();
    return source;
  }

  private resultsOf(
    source: AsyncIterator<unknown>,
    operation: Admitted,
    cost: number,
    over: PromiseWithResolvers<void>,
  ): Results {
    const { userId } = operation.contextValue;
    const user = userId ?? '';
    const contextValue = this.contexts.get(userId) ?? operation.contextValue;
    this.contexts.set(userId, contextValue);
    let isOver = false;
    const end = async () => {
      isOver = true;
      over.resolve();
      await source.return?.();
      return DONE;
    };
    const resultFor = (rootValue: unknown) =>
      isOver
        ? undefined
        : this.settings.database.asEvent(user, () => carryOut({ ...operation, contextValue, rootValue }));
    const next = async () => {
      try {
        const { done, value: event } = await source.next();
        const value = done ? undefined : await this.line.hold(user, () => resultFor(event), cost);
        return value && !isOver ? { done: false, value } : end();
      } catch (error) {
        await end();
        throw error;
      }
    };
    const results = { next, return: end, over: over.promise, [Symbol.asyncIterator]: () => results };
    return results as unknown as Results;
  }
}

/** Without undeclared variables, which would be kept in memory for nothing. */
function declaredOf({ operation, variableValues }: Admitted): Record<string, unknown> {
  const declared = new Set(operation.variableDefinitions?.map(({ variable }) => variable.name.value));
  return Object.fromEntries(Object.entries(variableValues ?? {}).filter(([name]) => declared.has(name)));
}
