import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ApolloServer } from '@apollo/server';
import express, { type Express } from 'express';
import helmet from 'helmet';
import type { PubSub } from 'type-graphql';
import { AccountResolver, SessionResolver } from './accounts/account.resolver.js';
import { AccountService } from './accounts/account.service.js';
import { LoginLimit } from './accounts/login-limit.js';
import { Tokens } from './accounts/tokens.js';
import { ChallengeFields, ChallengeResolver, UserChallengeFields } from './challenges/challenge.resolver.js';
import { ChallengeService } from './challenges/challenge.service.js';
import { ChallengeChangeResolver } from './challenges/challenge-change.resolver.js';
import { TemplateResolver } from './challenges/template.resolver.js';
import { TemplateService } from './challenges/template.service.js';
import type { Config } from './config.js';
import type { Context } from './graphql/context.js';
import { graphqlRouter } from './graphql/http.js';
import { changesFrom } from './graphql/live/changes.js';
import { type Live, liveOn } from './graphql/live/live.js';
import { playground } from './graphql/playground.js';
import { graphqlServer, schemaOf } from './graphql/server.js';
import { readTrustedDocuments, type TrustedDocuments } from './graphql/trusted-documents.js';
import { cors, isWelcome } from './http/cors.js';
import { accountRoutes } from './rest/account.routes.js';
import { challengeRoutes } from './rest/challenge.routes.js';
import { apiDocument } from './rest/documentation.js';
import { errorHandler } from './rest/errors.js';
import { restRouter } from './rest/router.js';
import { taskRoutes } from './rest/task.routes.js';
import type { Instance } from './startup/instance.js';
import { UserStreakFields } from './streaks/streak.resolver.js';
import { UserCalendarFields } from './tasks/calendar.resolver.js';
import { CalendarService } from './tasks/calendar.service.js';
import { LinkedTaskFields } from './tasks/challenge-fields.resolver.js';
import { ProgressService } from './tasks/challenge-progress.service.js';
import { CompletionFields, CompletionResolver } from './tasks/completion.resolver.js';
import { CompletionService } from './tasks/completion.service.js';
import { ProgressChangeResolver } from './tasks/progress-change.resolver.js';
import { TaskFields, TaskResolver } from './tasks/task.resolver.js';
import { TaskService } from './tasks/task.service.js';

function servicesOn({ config, database, clock, passwords, secret }: Instance) {
  const tokens = new Tokens(secret, clock);
  const limit = new LoginLimit(database, clock, config);
  const accounts = new AccountService(database, clock, passwords, tokens, limit);
  const templates = new TemplateService(database, accounts);
  const challenges = new ChallengeService(database, clock, accounts);
  const tasks = new TaskService(database, clock, accounts, challenges);
  const completions = new CompletionService(database, clock, accounts, tasks);
  const progress = new ProgressService(database, clock);
  const calendars = new CalendarService(database, clock);
  return { clock, tokens, accounts, templates, challenges, tasks, completions, progress, calendars };
}

type Services = ReturnType<typeof servicesOn>;

const resolversOn = (services: Services) => {
  const { clock, accounts, templates, challenges, tasks, completions, progress, calendars } = services;
  return [
    new SessionResolver(accounts),
    new AccountResolver(accounts),
    new TemplateResolver(templates),
    new ChallengeResolver(challenges, accounts),
    new ChallengeChangeResolver(challenges),
    new ChallengeFields(templates),
    new UserChallengeFields(challenges),
    new TaskResolver(tasks),
    new TaskFields(templates, completions),
    new CompletionResolver(completions, tasks, accounts),
    new CompletionFields(tasks),
    new ProgressChangeResolver(accounts, tasks, completions),
    new LinkedTaskFields(tasks, progress),
    new UserStreakFields(clock),
    new UserCalendarFields(calendars),
  ];
};

const routesOn = ({ accounts, templates, challenges, tasks, completions }: Services) => [
  ...accountRoutes(accounts),
  ...taskRoutes(tasks, completions),
  ...challengeRoutes(templates, challenges),
];

/** Classes declare the schema; it takes no services to write it down. */
export const declaredSchema = () =>
  schemaOf(resolversOn({} as Services), { changes: {} as PubSub, whenInvalid: async () => {} });

/** To be read before anything is opened: a fault in them stops the start and has changed nothing. */
export const trustedDocumentsOf = ({ trustedDocuments }: Config): TrustedDocuments | undefined =>
  trustedDocuments === undefined ? undefined : readTrustedDocuments(trustedDocuments, declaredSchema());

export interface App {
  handler: Express;
  graphql: ApolloServer<Context>;
  live: Live;
}

export async function createApp(instance: Instance): Promise<App> {
  const { config, trustedDocuments, log } = instance;
  const { bodyLimit, databaseTime } = config;
  const services = servicesOn(instance);
  const { accounts, tokens } = services;
  const routes = routesOn(services);
  const { introspection, limits } = config;
  const schema = schemaOf(resolversOn(services), {
    changes: changesFrom(instance.database.announcements),
    whenInvalid: (userId) => accounts.refuseIfGone(userId),
  });
  const graphql = await graphqlServer(schema, { introspection, limits, log });

  const handler = express();
  const live = liveOn(schema, {
    identify: (authorization) => tokens.identify(authorization),
    // As Express finds it: a WebSocket goes around Express.
    isWelcome: (request) => isWelcome(request, config.corsOrigins),
    addressOf: (request) => Object.setPrototypeOf(request, handler.request).ip ?? '',
    clock: instance.clock,
    heartbeat: config.liveHeartbeat,
    trustedDocuments,
    bodyLimit,
    maxRequests: config.maxRequests,
    databaseTime,
    sockets: livePlaces(config),
    subscriptions: {
      places: livePlaces(config),
      maxCost: config.liveMaxCost,
      asEvent: (userId, work) => instance.database.asEvent(userId, work),
    },
    introspection,
    limits,
    log,
  });
  handler.disable('x-powered-by');
  handler.set('etag', false);
  if (config.trustProxy !== undefined) handler.set('trust proxy', config.trustProxy);
  handler.use(safeHeaders);
  handler.use(['/api', '/graphql'], cors(config.corsOrigins));
  handler.use(withoutOptions);
  handler.use('/health', health(instance));
  handler.use('/api', apiDocument(routes), restRouter(routes, { tokens, accounts, bodyLimit, databaseTime }));
  handler.use(playground(path.join(built, 'playground')));
  const authenticate = (authorization: unknown) => tokens.authenticate(authorization);
  const { eventStream } = live;
  handler.use(
    graphqlRouter(graphql, { authenticate, bodyLimit, databaseTime, eventStream, trustedDocuments, log }),
  );
  handler.use(notFound);
  handler.use(errorHandler(log));
  return { handler, graphql, live };
}

const livePlaces = ({ liveMaxPerUser, liveMaxPerProcess }: Config) => ({
  ofOne: liveMaxPerUser,
  ofAll: liveMaxPerProcess,
});

/** Express would answer them in plain text. */
const withoutOptions: express.RequestHandler = (request, response, next) =>
  request.method === 'OPTIONS' ? notFound(request, response, next) : next();

const notFound: express.RequestHandler = (_request, response) => {
  response.status(404).json({ error: 'Not found' });
};

/** Nothing here forces https: whoever terminates TLS says so, and pages must work on a plain local network. */
const safeHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  strictTransportSecurity: false,
  // Browsers ignore these two on plain http, and say so in every console.
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
});

/** `dist`, whether this file runs from there or from the sources. */
const here = path.dirname(fileURLToPath(import.meta.url));
const built = here.includes(`${path.sep}dist${path.sep}`)
  ? path.join(here, '..')
  : path.join(here, '../dist');

const SHUTTING_DOWN = new Error('Shutting down');

function health({ database, isServing, log }: Instance): express.Router {
  const router = express.Router();
  let told: unknown;
  /** Once for all who shared the answer. */
  const tell = (error: unknown) => {
    if (error !== told) log.warn({ err: error }, 'Not ready');
    told = error;
  };
  router.get('/live', (_request, response) => {
    response.json({ status: 'live' });
  });
  router.get('/ready', async (_request, response) => {
    try {
      if (!isServing()) throw SHUTTING_DOWN;
      await database.probe();
      response.json({ status: 'ready', connections: database.connections() });
    } catch (error) {
      tell(error);
      response.status(503).json({ error: 'Not ready' });
    }
  });
  return router;
}
