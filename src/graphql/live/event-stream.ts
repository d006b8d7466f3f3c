import type { Request, RequestHandler, Response } from 'express';
import type { FormattedExecutionResult } from 'graphql';
import { Refusal, unauthenticated } from '../../base/errors.js';
import { endWork } from '../../base/request.js';
import type { Caller } from '../../base/scopes.js';
import { Preference, write } from '../../http/answers.js';
import { contextIn, endWith, MEDIA_TYPES, whenIdentified } from '../context.js';
import { isOperation } from '../operations.js';
import type { GraphqlSettings } from '../settings.js';
import type { Pipeline } from './pipeline.js';

const EVENT_STREAM = 'text/event-stream';

/** GraphQL over server-sent events, one operation per request ("distinct connections mode"). */
export class EventStreams {
  private readonly subscriptions = new Set<AbortController>();
  private isClosing = false;

  constructor(
    private readonly pipeline: Pipeline,
    private readonly settings: GraphqlSettings,
  ) {}

  /** Passes on requests that prefer plain JSON, and those without an operation. */
  readonly handler: RequestHandler = async (request, response, next) => {
    response.vary('Accept');
    if (request.method !== 'POST' || !prefersEvents(request) || !isOperation(request.body)) return next();
    const { callers, trusts } = this.settings;
    const identity = await whenIdentified(callers, request.get('authorization'), (found) => found);
    const context = contextIn(request, identity, trusts, { wantsPlainJson: true });
    const gone = new AbortController();
    const send = (result: FormattedExecutionResult) =>
      write(response, `event: next\ndata: ${JSON.stringify(result)}\n\n`);
    await this.pipeline.carry(request.body, context, {
      gone: gone.signal,
      begin: (isSubscription) => this.begin(response, gone, isSubscription ? identity.caller : undefined),
      next: send,
      fail: async (errors, cause) => {
        if (response.headersSent) return send({ errors });
        // A quota is used up or the service is busy: a status, since nothing is wrong with the request itself.
        if (cause instanceof Refusal) return refuse(response, cause, { errors });
        this.begin(response, gone);
        return send({ errors });
      },
      interrupt: () => response.destroy(),
    });
    if (!response.writableEnded) response.end('event: complete\ndata:\n\n');
  };

  /** The number of open subscriptions. */
  get underWay(): number {
    return this.subscriptions.size;
  }

  /** Ends every subscription with a `complete` event. */
  close(): void {
    this.isClosing = true;
    for (const gone of this.subscriptions) gone.abort();
  }

  /** `caller`: of a subscription. A client that has the head of one misses no event from then on. */
  private begin(response: Response, gone: AbortController, caller?: Caller | null): void {
    const isSubscription = caller !== undefined;
    response.writeHead(200, {
      'Content-Type': `${EVENT_STREAM}; charset=utf-8`,
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
      // Otherwise the client might send another request on a connection that is about to close.
      ...(isSubscription && { Connection: 'close' }),
    });
    response.flushHeaders();
    const { trail } = response.req;
    if (trail) trail.isStream = isSubscription;
    if (!isSubscription) return;
    endWork();
    const beat = () => response.writableLength === 0 && !response.writableEnded && response.write(':\n\n');
    const heartbeat = setInterval(beat, this.settings.config.liveHeartbeat);
    const cancelEnd = caller && endWith(caller, this.settings, () => gone.abort(unauthenticated()));
    this.subscriptions.add(gone);
    const leave = () => {
      clearInterval(heartbeat);
      cancelEnd?.();
      this.subscriptions.delete(gone);
      gone.abort();
    };
    response.once('close', leave);
    if (response.closed || this.isClosing) leave();
  }
}

function refuse(response: Response, { kind, details }: Refusal, body: FormattedExecutionResult): void {
  if (details.retryAfter !== undefined) response.set('Retry-After', String(details.retryAfter));
  response.status(kind === 'throttled' ? 429 : 503).json(body);
}

/** Some clients list event streams in every request, after the type that they prefer. */
const preference = new Preference([...MEDIA_TYPES, EVENT_STREAM]);
const prefersEvents = (request: Request) => preference.of(request) === EVENT_STREAM;
