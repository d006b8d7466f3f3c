import type { IncomingMessage, Server } from 'node:http';
import type { ApolloServer } from '@apollo/server';
import express, { type ErrorRequestHandler } from 'express';
import type { PubSub } from 'type-graphql';
import type { Callers } from './accounts/callers.js';
import type { Config } from './config.js';
import type { Context } from './graphql/context.js';
import { busyGraphql, graphqlRoutes } from './graphql/http.js';
import { changesFrom } from './graphql/live/changes.js';
import { type Live, liveOn } from './graphql/live/live.js';
import { typeOfError } from './graphql/media-types.js';
import { Operations } from './graphql/operations.js';
import { playground } from './graphql/playground.js';
import { schemaOf } from './graphql/schema.js';
import { graphqlServer } from './graphql/server.js';
import { readTrustedDocuments, type TrustedDocuments } from './graphql/trusted-documents.js';
import { addressOf, Proxies, type Trust } from './http/address.js';
import type { Busy } from './http/admission.js';
import { admission } from './http/admission.js';
import { cors, isWelcome, readableBy, safeHeaders } from './http/headers.js';
import { health } from './http/health.js';
import { notFound, withoutOptions } from './http/not-found.js';
import { servedBelow } from './http/public-path.js';
import { Receiving } from './http/receiving.js';
import { type Handler, httpServer } from './http/server.js';
import { withShortcuts } from './http/shortcuts.js';
import { page, pageDocuments, pageLeft } from './page/page.js';
import type { Caller } from './request.js';
import { accountRoutes } from './rest/account.routes.js';
import { challengeRoutes } from './rest/challenge.routes.js';
import { apiDocument } from './rest/documentation.js';
import { answerError, busyRest } from './rest/errors.js';
import { documentOf } from './rest/openapi.js';
import { countedRoutes, restRoutes } from './rest/router.js';
import { taskRoutes } from './rest/task.routes.js';
import { resolversOn, type Services, servicesOn } from './services.js';
import type { Instance } from './startup/instance.js';
import { takeoutOn } from './takeout/composition.js';
import { declare, seenBy } from './telemetry/composition.js';
import { observe, type Seen } from './telemetry/observe.js';

const routesOn = ({ accounts, templates, challenges, tasks, completions }: Services) => [
  ...accountRoutes(accounts),
  ...taskRoutes(tasks, completions),
  ...challengeRoutes(templates, challenges),
];

/** Resolver classes declare the schema, so that printing it needs no working services. */
export const declaredSchema = () =>
  schemaOf(resolversOn({} as Services), { changes: {} as PubSub, assertExists: async () => {} });

/** The OpenAPI document, declared by the routes in the same way. */
export const declaredApi = () => documentOf(routesOn({} as Services));

/** Call it before anything is opened: an error in the manifest then stops the start without side effects. */
export const trustedDocumentsOf = ({ trustedDocuments, ui }: Config): TrustedDocuments | undefined =>
  trustedDocuments === undefined
    ? undefined
    : readTrustedDocuments(trustedDocuments, declaredSchema(), ui === 'on' ? pageDocuments() : []);

/** The service on an HTTP server that does not listen yet. */
export interface Service {
  server: Server;
  live: Live;
  /** Drains: accepts no new requests, answers those under way, closes connections and subscriptions. */
  stop: () => Promise<void>;
}

export async function createService(instance: Instance): Promise<Service> {
  const { config, log, metrics } = instance;
  const proxies = new Proxies(config.trustProxy, log);
  const seen = seenBy({ config, log, metrics, addressOf: (request) => addressOf(request, proxies.trusts) });
  const { handler, graphql, live, services } = await createApp(instance, seen, proxies);
  const { revocations, callers } = services;
  await revocations.begin();
  const door = admission(handler, {
    limit: config.maxRequests,
    atWork: config.atWork,
    longestWait: config.timeouts.longestWait,
    longestWork: config.timeouts.longestWork,
    receiving: new Receiving(config.unfinishedLimit),
    busy: busyAnswer(config.corsOrigins),
  });
  const { server, drain } = httpServer(door, {
    connections: config.maxConnections,
    unread: config.unreadLimit,
  });
  observe(server, seen);
  servedBelow(server, config.publicPath);
  live.attach(server);
  const stop = async () => {
    const drained = drain(config.workers > 1);
    await Promise.race([live.close(), drained]); // without open connections there is no operation to wait for
    await drained;
    await graphql.stop();
    await callers.stop();
    revocations.stop();
  };
  return { server, live, stop };
}

/** The answer of load shedding, in the format of the face, with CORS headers so that a web page can read it. */
export const busyAnswer =
  (origins: readonly string[]): Busy =>
  (request) => {
    const headers = readableBy(request, origins);
    const isGraphql = /^\/graphql\b/i.test(request.url ?? '');
    return isGraphql
      ? { body: busyGraphql, headers: { ...headers, 'Content-Type': typeOfError(request) } }
      : { body: busyRest, headers };
  };

interface App {
  handler: Handler;
  graphql: ApolloServer<Context>;
  live: Live;
  services: Services;
}

async function createApp(instance: Instance, seen: (seen: Seen) => void, proxies: Proxies): Promise<App> {
  const { config, database, trustedDocuments, log, isServing } = instance;
  const { bodyLimit, corsOrigins, introspection, limits, publicPath } = config;
  const { databaseTime } = config.timeouts;
  const services = servicesOn(instance);
  const { accounts, callers } = services;
  const routes = routesOn(services);
  const schema = schemaOf(resolversOn(services), {
    changes: changesFrom(database.announcements),
    assertExists: (userId) => accounts.assertExists(userId),
  });
  if (instance.metrics) declare(instance.metrics, countedRoutes(routes), schema);
  const operations = new Operations(schema, operationSettings(instance));
  const graphql = await graphqlServer(schema, {
    introspection,
    limits,
    log,
    learn: (text, document) => operations.learn(text, document),
  });
  const { trusts } = proxies;
  const live = liveOn(operations, { ...liveSettings(instance, callers, trusts), seen });

  const fail = answerError(log);
  const rest = restRoutes(routes, { callers, accounts, bodyLimit, databaseTime, trusts, fail });
  const operationsOverHttp = graphqlRoutes(graphql, {
    identify: callers.identify.bind(callers),
    bodyLimit,
    databaseTime,
    eventStream: live.eventStream,
    operations,
    trustedDocuments,
    trusts,
    log,
  });
  const readable = cors(corsOrigins);

  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('trust proxy', trusts);
  app.use(safeHeaders);
  app.use(['/api', '/graphql', '/account'], readable);
  app.use(withoutOptions);
  const probe = () => database.probe();
  const connections = () => database.connections();
  const backup = () => instance.backupHealth?.();
  app.use('/health', health({ isServing, probe, connections, backup, proxies, log }));
  app.use('/api', apiDocument(routes, publicPath), rest.router);
  app.use('/account', takeoutOn(instance, services, fail));
  app.use(playground(publicPath));
  app.use(config.ui === 'on' ? page(config) : pageLeft());
  app.use(operationsOverHttp.router);
  app.use(notFound);
  app.use(((error, request, response, _next) => fail(error, request, response)) as ErrorRequestHandler);

  const shortcuts = [...rest.shortcuts, ...operationsOverHttp.shortcuts];
  return { handler: withShortcuts(app, [safeHeaders, readable], shortcuts), graphql, live, services };
}

function liveSettings({ config, clock, trustedDocuments, log }: Instance, callers: Callers, trusts: Trust) {
  const { bodyLimit, unfinishedLimit, corsOrigins, limits, maxRequests } = config;
  return {
    identify: (authorization: unknown) => callers.identify(authorization),
    watch: (caller: Caller, end: () => void) => callers.watch(caller, end),
    // WebSocket upgrades bypass Express.
    isWelcome: (request: IncomingMessage) => isWelcome(request, corsOrigins),
    addressOf: (request: IncomingMessage) => addressOf(request, trusts),
    clock,
    heartbeat: config.liveHeartbeat,
    trustedDocuments,
    bodyLimit,
    unfinishedLimit,
    maxRequests,
    sockets: quotaOf(config),
    limits,
    log,
  };
}

const quotaOf = ({ liveMaxPerUser, liveMaxPerProcess }: Config) => ({
  ofOne: liveMaxPerUser,
  ofAll: liveMaxPerProcess,
});

const operationSettings = ({ config, database, log }: Instance) => ({
  introspection: config.introspection,
  limits: config.limits,
  databaseTime: config.timeouts.databaseTime,
  lane: config.graphqlLane,
  subscriptions: {
    quota: quotaOf(config),
    maxCost: config.liveMaxCost,
    asEvent: <T>(userId: string, work: () => T) => database.asEvent(userId, work),
  },
  log,
});
