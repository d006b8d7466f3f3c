import type { Request, RequestHandler, Response } from 'express';
import type { ExecutionResult, FormattedExecutionResult } from 'graphql';
import { Refusal, unauthenticated } from '../../base/errors.js';
import { endWork } from '../../base/request.js';
import type { Caller } from '../../base/scopes.js';
import { addressOf, originOf } from '../../http/address.js';
import { Preference, write } from '../../http/answers.js';
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
    const { operations } = this;
    const { callers, trusts } = this.settings;
    const { trail } = request;
    const identity = await whenIdentified(callers, request.get('authorization'), (found) => found);
    const origin = () => originOf(request, trusts);
    const arrival = { address: addressOf(request, trusts), origin, wantsPlainJson: true };
    const admitted = operations.admit(request.body, contextIn(request, identity, arrival));
    const errors = Array.isArray(admitted) ? admitted : [];
    // A quota is used up or the service is busy: a status, since nothing is wrong with the request itself.
    const refusal = errors.map(({ originalError }) => originalError).find((each) => each instanceof Refusal);
    if (refusal) {
      const { kind, details } = refusal;
      if (details.retryAfter !== undefined) response.set('Retry-After', String(details.retryAfter));
      const formatted = operations.formattedErrors(errors);
      noteErrors(trail, formatted);
      return void response.status(kind === 'throttled' ? 429 : 503).json({ errors: formatted });
    }
    const result = Array.isArray(admitted) ? { errors } : await operations.run(admitted);
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
    const send = (answer: ExecutionResult) => {
      const formatted = operations.formatted(answer, Array.isArray(admitted) ? undefined : admitted);
      noteErrors(trail, formatted.errors);
      return write(response, nextEvent(formatted));
    };
    if (isSubscription) endWork();
    if (isSubscription) await this.stream(response, result, send, identity.caller);
    else await send(result);
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
    send: (result: ExecutionResult) => Promise<unknown>,
    caller: Caller | null,
  ): Promise<void> {
    const leave = () => void results.return();
    if (response.closed || this.isClosing) return leave();
    response.once('close', leave);
    this.subscriptions.add(results);
    const beat = () => response.writableLength === 0 && response.write(':\n\n');
    const heartbeat = setInterval(beat, this.settings.config.liveHeartbeat);
    let refusal: Refusal | undefined;
    const refuse = () => {
      refusal = unauthenticated();
      leave();
    };
    const cancelEnd = caller && endWith(caller, this.settings, refuse);
    try {
      for await (const result of results) await send(result);
      if (refusal) throw refusal;
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

/** Some clients list event streams in every request, after the type that they prefer. */
const preference = new Preference([...MEDIA_TYPES, EVENT_STREAM]);
const prefersEvents = (request: Request) => preference.of(request) === EVENT_STREAM;

function isOperation(body: unknown): body is OperationRequest {
  const { query, operationName, variables } = (body ?? {}) as Record<string, unknown>;
  const isName = operationName === undefined || operationName === null || typeof operationName === 'string';
  const isObject = typeof variables === 'object' && !Array.isArray(variables);
  return typeof query === 'string' && isName && (variables === undefined || isObject);
}
