import type { IncomingMessage, Server } from 'node:http';
import express, { type ErrorRequestHandler } from 'express';
import type { PubSub } from 'type-graphql';
import { networkOf } from './base/request.js';
import type { Base, Parts as FeatureParts } from './feature.js';
import { readConfig } from './features/settings.js';
import { features, featuresOn, jobsOf, reasons, resolversOf, routesOf } from './features.js';
import { typeOfError } from './graphql/context.js';
import { type Graphql, graphqlOn, type Live } from './graphql/graphql.js';
import { busyGraphql } from './graphql/http.js';
import { changesFrom } from './graphql/live/events.js';
import { playground } from './graphql/playground.js';
import { schemaOf } from './graphql/schema.js';
import { addressOf, Proxies } from './http/address.js';
import {
  admission,
  type Busy,
  largeBodySemaphore,
  openSemaphore,
  requestSemaphore,
} from './http/admission.js';
import { cors, type Handler, readableBy, readableByAll, safeHeaders } from './http/answers.js';
import { health } from './http/health.js';
import { notFound, servedBelow, withoutOptions } from './http/routing.js';
import { httpServer, withShortcuts } from './http/server.js';
import type { Instance } from './operation/startup/instance.js';
import { page, pageLeft } from './page/page.js';
import { apiDocument } from './rest/documentation.js';
import { answerError, busyRest } from './rest/errors.js';
import type { Accounts } from './rest/files.js';
import { documentOf } from './rest/openapi.js';
import type { AnyRoute } from './rest/route.js';
import { type Callers, restRoutes } from './rest/router.js';
import { observe, requestLog, type Seen } from './telemetry/trail.js';

/** Features declare the schema and the routes, so that printing them needs nothing that works. */
const declared = () =>
  featuresOn({
    config: readConfig({}),
    secret: 'unused',
    database: { semaphore: () => {} },
  } as unknown as Base).all;

export const declaredSchema = () =>
  schemaOf(resolversOf(declared()), { reasons, changes: {} as PubSub, assertExists: async () => {} });

export const declaredRoutes = () => routesOf(declared());

/** The OpenAPI document. */
export const declaredApi = () => documentOf(declaredRoutes(), reasons);

/** A client that takes nothing of its answer for so long is gone, or does not read. */
const SILENCE_MS = 60_000;

/** Of an answer that needs no token: others of its address wait for its place. */
const UNREAD_MS = 10_000;

/** The service on an HTTP server that does not listen yet. */
export interface Service {
  server: Server;
  live: Live;
  /** The kinds of the jobs that it does beside requests. */
  kinds: string[];
  reminders: ReturnType<typeof featuresOn>['reminders'];
  /** Begins what one process does for all. */
  keep: () => Promise<void>;
  /** Drains: accepts no new requests, answers those under way, closes connections and subscriptions. */
  stop: () => Promise<void>;
}

export async function createService(instance: Instance): Promise<Service> {
  const { config, database, log, metrics } = instance;
  const proxies = new Proxies(config.trustProxy, log);
  const { trusts } = proxies;
  const write = requestLog({
    logs: config.logRequests,
    log,
    addressOf: (request) => addressOf(request, trusts),
  });
  const seen = (over: Seen) => {
    metrics?.seen(over);
    write(over);
  };
  if (metrics) for (const { metrics: declare } of features) declare?.(metrics, instance);
  const { all, accounts, callers, reminders } = featuresOn(instance);
  const routes = routesOf(all);
  const schema = schemaOf(resolversOf(all), {
    reasons,
    changes: changesFrom(database.announcements, Object.assign({}, ...all.map(({ sources }) => sources))),
    assertExists: (userId) => accounts.assertExists(userId),
  });
  const semaphore = requestSemaphore(config);
  const graphql = await graphqlOn(schema, { ...instance, callers, semaphore, trusts, seen });
  for (const { begin } of all) begin?.();
  const { everywhere, byLeader } = jobsOf(all);
  for (const job of everywhere) void job.begin();
  const network = (request: IncomingMessage) => networkOf(addressOf(request, trusts));
  const handler = admission(handlerOf({ instance, all, accounts, callers, routes, graphql, proxies }), {
    semaphore,
    large: largeBodySemaphore(config),
    open: openSemaphore(config),
    health: openSemaphore(config),
    longestWorkMs: config.timeouts.longestWork,
    unreadMs: UNREAD_MS,
    ownerOf: (request) =>
      callers.userOf(request.headers.authorization) ?? userByAddress(all, request.url) ?? network(request),
    networkOf: network,
    busy: busyAnswer(config.corsOrigins),
  });
  const { server, connections } = httpServer(handler, {
    connections: config.maxConnections,
    silenceMs: Math.max(SILENCE_MS, 20 * config.timeouts.databaseTime, 2 * config.liveHeartbeat),
  });
  observe(server, seen);
  servedBelow(server, config.publicPath);
  graphql.live.attach(server);
  const stop = async () => {
    const drained = connections.drain(config.workers > 1);
    await Promise.race([graphql.live.close(), drained]); // without open connections there is no operation to wait for
    await drained;
    await graphql.stop();
    await Promise.all([...everywhere, ...byLeader].map((job) => job.stop()));
    for (const { stop } of all.toReversed()) await stop?.();
  };
  const keep = async () => {
    for (const job of byLeader) await job.begin();
  };
  const kinds = [...everywhere, ...byLeader].flatMap(({ kind }) => kind ?? []);
  return { server, live: graphql.live, kinds, reminders, keep, stop };
}

function userByAddress(all: readonly FeatureParts[], url = ''): string | undefined {
  for (const { userOf } of all) {
    const userId = userOf?.(url);
    if (userId !== undefined) return userId;
  }
  return undefined;
}

/** The answer of load shedding, in the format of the API, with CORS headers so that a web page can read it. */
export const busyAnswer =
  (origins: readonly string[]): Busy =>
  (request) => {
    const headers = readableBy(request, origins);
    const isGraphql = /^\/graphql\b/i.test(request.url ?? '');
    return isGraphql
      ? { body: busyGraphql, headers: { ...headers, 'Content-Type': typeOfError(request) } }
      : { body: busyRest, headers };
  };

interface Parts {
  instance: Instance;
  all: readonly FeatureParts[];
  accounts: Accounts;
  callers: Callers;
  routes: AnyRoute[];
  graphql: Graphql;
  proxies: Proxies;
}

function handlerOf({ instance, all, accounts, callers, routes, graphql, proxies }: Parts): Handler {
  const { config, clock, database, log, isServing } = instance;
  const { trusts } = proxies;
  const { databaseTime } = config.timeouts;
  const fail = answerError(log);
  const rest = restRoutes(routes, { ...config, accounts, callers, clock, databaseTime, trusts, fail });
  const readable = cors(config.corsOrigins);

  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('trust proxy', trusts);
  app.use(safeHeaders);
  app.use(['/api', '/graphql', '/account'], readable);
  app.use('/mcp', cors(config.corsOrigins, 'Mcp-Protocol-Version, Mcp-Method, Mcp-Name'));
  app.use(['/check-in', '/api/check-in'], readableByAll);
  app.use(withoutOptions);
  const probe = () => database.probe();
  const isFull = () => database.isFull();
  const connections = () => database.connections();
  const backup = () => instance.backupHealth?.();
  app.use('/health', health({ isServing, probe, isFull, connections, backup, proxies, log }));
  app.use('/api', apiDocument(routes, reasons, config.publicPath));
  app.use(rest.router);
  for (const { router } of all) if (router) app.use(router(trusts));
  app.use(playground(config.publicPath));
  app.use(config.ui === 'on' ? page(config) : pageLeft());
  app.use(graphql.router);
  app.use(notFound);
  app.use(((error, request, response, _next) => fail(error, request, response)) as ErrorRequestHandler);
  return withShortcuts(app, [safeHeaders, readable], [...rest.shortcuts, ...graphql.shortcuts]);
}
