import type { Request, RequestHandler, Response } from 'express';
import type { ExecutionResult, FormattedExecutionResult, GraphQLError } from 'graphql';
import { Refusal, unauthenticated } from '../../errors.js';
import { addressOf, originOf } from '../../http/address.js';
import { Preference, write } from '../../http/answers.js';
import { endWork } from '../../request.js';
import type { Caller } from '../../scopes.js';
import { contextIn, endWith, MEDIA_TYPES, noteErrors, whenIdentified } from '../context.js';
import type { OperationRequest, Operations } from '../operations.js';
import type { GraphqlSettings } from '../settings.js';
import { Interrupted } from './events.js';
import type { Results } from './subscriptions.js';

const EVENT_STREAM = 'text/event-stream';

/** GraphQL over server-sent events, one operation per request ("distinct connections mode"). */
export class EventStreams {
  private readonly subscriptions = new Set<Results>();
  private isClosing = false;

  constructor(
    private readonly operations: Operations,
    private readonly settings: GraphqlSettings,
  ) {}

  /** Passes on requests that prefer plain JSON, and those without an operation. */
  readonly handler: RequestHandler = async (request, response, next) => {
    response.vary('Accept');
    if (request.method !== 'POST' || !prefersEvents(request) || !isOperation(request.body)) return next();
    const identity = await whenIdentified(
      this.settings.callers,
      request.get('authorization'),
      (identity) => identity,
    );
    const { trail } = request;
    const { trusts } = this.settings;
    const address = addressOf(request, trusts);
    const origin = () => originOf(request, trusts);
    const context = contextIn(request, identity, { address, origin, wantsPlainJson: true });
    const admitted = this.operations.admit(request.body, context);
    const refusal = Array.isArray(admitted) ? refusalIn(admitted) : undefined;
    if (refusal && Array.isArray(admitted)) {
      const { kind, details } = refusal;
      if (details.retryAfter !== undefined) response.set('Retry-After', String(details.retryAfter));
      const status = kind === 'throttled' ? 429 : 503;
      const errors = this.operations.formattedErrors(admitted);
      noteErrors(trail, errors);
      return void response.status(status).json({ errors });
    }
    const result = Array.isArray(admitted) ? { errors: admitted } : await this.operations.run(admitted);
    const isSubscription = Symbol.asyncIterator in result;
    // Sent only now: a client that has the headers of a subscription misses no event from then on.
    response.writeHead(200, {
      'Content-Type': `${EVENT_STREAM}; charset=utf-8`,
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
      // Otherwise the client might send another request on a connection that is about to close.
      ...(isSubscription && { Connection: 'close' }),
    });
    response.flushHeaders();
    if (trail) trail.isStream = isSubscription;
    const asSent = (answer: ExecutionResult) => {
      const formatted = this.operations.formatted(answer, Array.isArray(admitted) ? undefined : admitted);
      noteErrors(trail, formatted.errors);
      return nextEvent(formatted);
    };
    if (isSubscription) endWork();
    if (isSubscription) await this.stream(response, result, asSent, identity.caller);
    else await write(response, asSent(result));
    response.end('event: complete\ndata:\n\n');
  };

  /** The number of open subscriptions. */
  get underWay(): number {
    return this.subscriptions.size;
  }

  /** Ends every subscription with a `complete` event. */
  async close(): Promise<void> {
    this.isClosing = true;
    await Promise.all([...this.subscriptions].map((results) => results.return()));
  }

  private async stream(
    response: Response,
    results: Results,
    asSent: (result: ExecutionResult) => string,
    caller: Caller | null,
  ): Promise<void> {
    const { config } = this.settings;
    const leave = () => void results.return();
    if (response.closed || this.isClosing) return leave();
    response.once('close', leave);
    this.subscriptions.add(results);
    const heartbeat = setInterval(
      () => response.writableLength === 0 && response.write(':\n\n'),
      config.liveHeartbeat,
    );
    const refuse = () => void results.throw(unauthenticated()).catch(() => {});
    const cancelEnd = caller && endWith(caller, this.settings, refuse);
    try {
      for await (const result of results) await write(response, asSent(result));
    } catch (error) {
      if (error instanceof Interrupted) response.destroy();
      else await write(response, nextEvent(this.operations.failure(error)));
    } finally {
      clearInterval(heartbeat);
      cancelEnd?.();
      this.subscriptions.delete(results);
    }
  }
}

const nextEvent = (result: FormattedExecutionResult) => `event: next\ndata: ${JSON.stringify(result)}\n\n`;

/**
 * A quota is used up or the service is busy: answered with a status, since nothing is wrong with the request itself.
 */
const refusalIn = (errors: GraphQLError[]) =>
  errors.map(({ originalError }) => originalError).find((error) => error instanceof Refusal);

/** Some clients list event streams in every request, after the type that they prefer. */
const preference = new Preference([...MEDIA_TYPES, EVENT_STREAM]);
const prefersEvents = (request: Request) => preference.of(request) === EVENT_STREAM;

function isOperation(body: unknown): body is OperationRequest {
  const { query, operationName, variables } = (body ?? {}) as Record<string, unknown>;
  const isName = operationName === undefined || operationName === null || typeof operationName === 'string';
  const isObject = typeof variables === 'object' && !Array.isArray(variables);
  return typeof query === 'string' && isName && (variables === undefined || isObject);
}
