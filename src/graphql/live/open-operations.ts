import type { ExecutionResult } from 'graphql';
import type { Results } from './subscriptions.js';

/**
 * The operations of one connection. graphql-ws tracks them by the ids that clients choose, and loses one whose id is
 * reused before it has begun.
 */
export class OpenOperations {
  private readonly subscriptions = new Set<Results>();
  private beginning = 0;
  private isEnded = false;

  get count(): number {
    return this.beginning + this.subscriptions.size;
  }

  /** Counts an operation while it waits for its turn. */
  async wait<T>(turn: Promise<T>): Promise<T> {
    this.beginning += 1;
    try {
      return await turn;
    } finally {
      this.beginning -= 1;
    }
  }

  async follow(operation: Promise<ExecutionResult | Results>): Promise<ExecutionResult | Results> {
    this.beginning += 1;
    try {
      const result = await operation;
      if (!(Symbol.asyncIterator in result)) return result;
      if (this.isEnded) await result.return();
      else this.add(result);
      return result;
    } finally {
      this.beginning -= 1;
    }
  }

  /** Ends all operations: the connection is closed. */
  end(): void {
    this.isEnded = true;
    for (const results of this.subscriptions) results.return().catch(() => {});
  }

  private add(results: Results): void {
    this.subscriptions.add(results);
    const forget = () => this.subscriptions.delete(results);
    const { next, return: leave } = results;
    results.next = async () => {
      const step = await next.call(results).catch((error: unknown) => {
        forget();
        throw error;
      });
      if (step.done) forget();
      return step;
    };
    results.return = (value) => {
      forget();
      return leave.call(results, value);
    };
  }
}
