import { createSourceEventStream, type ExecutionResult, getOperationAST } from 'graphql';
import type { Context } from '../context.js';
import { type Admitted, carryOut } from '../execution.js';
import { tooComplex } from '../limits.js';
import type { GraphqlSettings } from '../settings.js';
import { lineOfOperations, Quota } from './quotas.js';

export type Results = AsyncGenerator<ExecutionResult, void, void>;

/** Of a document with its variables, which a subscription keeps. */
const MAX_CHARACTERS = 16_384;

/** The subscriptions of one user together may cost this many times the maximum of a single one. */
const COSTS_OF_ONE_USER = 20;

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * Runs the operation of each subscription again with every event. Limits their number and cost, and lets users take
 * turns.
 */
export class Subscriptions {
  private readonly quota: Quota;
  private readonly costs: Quota;
  private readonly line = lineOfOperations();
  /** One context per user, so that what all subscriptions of a user ask for at the same time is read together. */
  private readonly contexts = new Map<string, Context>();

  constructor(private readonly settings: Pick<GraphqlSettings, 'config' | 'database'>) {
    const { liveMaxPerUser, liveMaxPerProcess, liveMaxCost } = settings.config;
    this.quota = new Quota('subscriptions', liveMaxPerUser, liveMaxPerProcess);
    this.costs = new Quota('units of cost in subscriptions', COSTS_OF_ONE_USER * liveMaxCost);
  }

  /** Checks the quotas and takes a share of them. `cost` is per event, `length` is that of the document's text. */
  admit(operation: Admitted, cost: number, length: number): Admitted {
    const { liveMaxCost } = this.settings.config;
    const { document, contextValue } = operation;
    const variableValues = declaredOf(operation);
    const size = length + lengthOf(variableValues);
    if (cost > liveMaxCost) throw tooComplex('cost', liveMaxCost, cost);
    if (size > MAX_CHARACTERS) throw tooComplex('subscription size', MAX_CHARACTERS, size);
    const { userId } = contextValue;
    const leaveCosts = this.costs.take(userId, cost + (document.tokenCount ?? 0)); // tokens stand for the memory that the document takes
    const leaveQuota = this.takeQuota(userId, leaveCosts);
    const leave = () => {
      leaveCosts();
      leaveQuota();
      if (userId !== null && !this.quota.isTakenBy(userId)) this.contexts.delete(userId);
    };
    return { ...operation, variableValues, reservation: { cost, leave } };
  }

  /** Returns a stream of results, unless it is refused. */
  async run({ reservation, ...operation }: Admitted): Promise<ExecutionResult | Results> {
    const { cost = 0, leave = () => {} } = reservation ?? {};
    const source = await createSourceEventStream(operation).catch((error: unknown) => {
      leave();
      throw error;
    });
    if (Symbol.asyncIterator in source) {
      return this.resultsOf(source[Symbol.asyncIterator](), { operation, cost, leave });
    }
    leave();
    return source;
  }

  private takeQuota(userId: string | null, giveBack: () => void): () => void {
    try {
      return this.quota.take(userId);
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  private resultsOf(
    source: AsyncIterator<unknown>,
    { operation, cost, leave }: { operation: Admitted; cost: number; leave: () => void },
  ): Results {
    const { database } = this.settings;
    const userId = operation.contextValue.userId ?? '';
    const contextValue = this.contexts.get(userId) ?? operation.contextValue;
    this.contexts.set(userId, contextValue);
    let isOver = false;
    const end = async () => {
      isOver = true;
      leave();
      await source.return?.();
      return DONE;
    };
    const resultFor = (rootValue: unknown) =>
      isOver
        ? undefined
        : database.asEvent(userId, () => carryOut({ ...operation, contextValue, rootValue }));
    const results: Pick<Results, 'next' | 'return' | 'throw'> = {
      next: async () => {
        try {
          const step = await source.next();
          const value = step.done
            ? undefined
            : await this.line.hold(userId, () => resultFor(step.value), cost);
          return value && !isOver ? { done: false, value } : end();
        } catch (error) {
          await end();
          throw error;
        }
      },
      return: end,
      throw: async (error) => {
        await source.throw?.(error);
        return DONE;
      },
    };
    return Object.assign(results, { [Symbol.asyncIterator]: () => results }) as Results;
  }
}

/** Drops undeclared variables, which would be kept in memory for nothing. */
function declaredOf({ document, operationName, variableValues }: Admitted): Record<string, unknown> {
  const declared = getOperationAST(document, operationName)?.variableDefinitions ?? [];
  const given = new Map(Object.entries(variableValues ?? {}));
  const names = declared.map(({ variable }) => variable.name.value).filter((name) => given.has(name));
  return Object.fromEntries(names.map((name) => [name, given.get(name)]));
}

function lengthOf(values: Record<string, unknown>): number {
  try {
    return JSON.stringify(values).length;
  } catch {
    return 0; // nests too deeply: execution will refuse it
  }
}
