import type { Server } from 'node:http';
import express, { type ErrorRequestHandler } from 'express';
import type { PubSub } from 'type-graphql';
import type { Config } from './config.js';
import { typeOfError } from './graphql/context.js';
import { type Graphql, graphqlOn, type Live } from './graphql/graphql.js';
import { busyGraphql } from './graphql/http.js';
import { changesFrom } from './graphql/live/events.js';
import { playground } from './graphql/playground.js';
import { schemaOf } from './graphql/schema.js';
import { readTrustedDocuments, type TrustedDocuments } from './graphql/trusted-documents.js';
import { addressOf, Proxies } from './http/address.js';
import { admission, admissionLine, type Busy } from './http/admission.js';
import { cors, type Handler, readableBy, readableByAll, safeHeaders } from './http/answers.js';
import { health } from './http/health.js';
import { notFound, servedBelow, withoutOptions } from './http/routing.js';
import { httpServer, withShortcuts } from './http/server.js';
import { page, pageDocuments, pageLeft } from './page/page.js';
import { networkOf } from './request.js';
import { accountRoutes } from './rest/account.routes.js';
import { challengeRoutes } from './rest/challenge.routes.js';
import { checkInRoutes } from './rest/check-in.routes.js';
import { apiDocument } from './rest/documentation.js';
import { answerError, busyRest } from './rest/errors.js';
import { documentOf } from './rest/openapi.js';
import type { AnyRoute } from './rest/route.js';
import { restRoutes } from './rest/router.js';
import { takeoutRoutes } from './rest/takeout.routes.js';
import { taskRoutes } from './rest/task.routes.js';
import { type Reminders, remindersOn, resolversOn, type Services, servicesOn } from './services.js';
import { oidcRoutes } from './sign-in/oidc/oidc.routes.js';
import type { Instance } from './startup/instance.js';
import { observe, requestLog, type Seen } from './telemetry/trail.js';

const routesOn = (
  { accounts, templates, challenges, tasks, completions, exports, imports, checkIns }: Services,
  publicPath = '',
) => [
  ...accountRoutes(accounts),
  ...taskRoutes(tasks, completions),
  ...challengeRoutes(templates, challenges),
  ...takeoutRoutes(exports, imports),
  ...checkInRoutes(checkIns, accounts, publicPath),
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

/** A client that takes nothing of its answer for so long is gone, or does not read. */
const SILENCE_MS = 60_000;

/** The service on an HTTP server that does not listen yet. */
export interface Service {
  server: Server;
  live: Live;
  reminders: Reminders;
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
  const services = servicesOn(instance);
  const reminders = remindersOn(instance, services);
  const { accounts, callers } = services;
  const routes = routesOn(services, config.publicPath);
  const schema = schemaOf(resolversOn(services), {
    changes: changesFrom(database.announcements),
    assertExists: (userId) => accounts.assertExists(userId),
  });
  const line = admissionLine(config);
  const graphql = await graphqlOn(schema, { ...instance, callers, line, trusts, seen });
  callers.begin();
  services.mailSender?.begin();
  services.oidc?.provider.begin(log);
  const handler = admission(handlerOf({ instance, services, routes, graphql, proxies }), {
    line,
    longestWorkMs: config.timeouts.longestWork,
    ownerOf: (request) =>
      callers.userOf(request.headers.authorization) ??
      userOfLink(services, request.url) ??
      networkOf(addressOf(request, trusts)),
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
    await services.mailSender?.stop();
    await callers.stop();
    await reminders.withdrawals.stop();
  };
  return { server, live: graphql.live, reminders, stop };
}

const CHECK_IN = /^(?:\/api)?\/check-in\/([\w-]+)/;

/** Whoever uses a check-in link counts as its user. */
function userOfLink({ checkIns }: Services, url = ''): string | undefined {
  const token = CHECK_IN.exec(url)?.[1];
  return token === undefined ? undefined : checkIns.userOf(token);
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
  services: Services;
  routes: AnyRoute[];
  graphql: Graphql;
  proxies: Proxies;
}

function handlerOf({ instance, services, routes, graphql, proxies }: Parts): Handler {
  const { config, clock, database, log, isServing } = instance;
  const { trusts } = proxies;
  const { databaseTime } = config.timeouts;
  const fail = answerError(log);
  const rest = restRoutes(routes, { ...services, ...config, clock, databaseTime, trusts, fail });
  const readable = cors(config.corsOrigins);

  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('trust proxy', trusts);
  app.use(safeHeaders);
  app.use(['/api', '/graphql', '/account'], readable);
  app.use(['/check-in', '/api/check-in'], readableByAll);
  app.use(withoutOptions);
  const probe = () => database.probe();
  const isFull = () => database.isFull();
  const connections = () => database.connections();
  const backup = () => instance.backupHealth?.();
  app.use('/health', health({ isServing, probe, isFull, connections, backup, proxies, log }));
  app.use('/api', apiDocument(routes, config.publicPath));
  app.use(rest.router);
  const { oidc, identities } = services;
  if (oidc) app.use(oidcRoutes({ ...oidc, config, identities, trusts, log }));
  app.use(playground(config.publicPath));
  app.use(config.ui === 'on' ? page(config) : pageLeft());
  app.use(graphql.router);
  app.use(notFound);
  app.use(((error, request, response, _next) => fail(error, request, response)) as ErrorRequestHandler);
  return withShortcuts(app, [safeHeaders, readable], [...rest.shortcuts, ...graphql.shortcuts]);
}
