import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type RequestHandler } from 'express';
import type { AccountService } from '../src/accounts/account.service.js';
import type { Handler } from '../src/http/server.js';
import type { Route } from '../src/rest/route.js';
import {
  AccountService as Accounts,
  accountRoutes,
  admission,
  cors,
  httpServer,
  openDatabase,
  readConfig,
  restRouter,
  safeHeaders,
  systemClock,
  TaskService,
  Tokens,
  taskRoutes,
  withoutOptions,
} from './built.ts';

// One rung of `layers.ts`: a server of the layers up to the named one, put together as `app.ts` does it. Below the
// last rung an empty list is answered.

const config = readConfig();
const { bodyLimit, corsOrigins, maxRequests, maxConnections, unreadLimit, timeouts } = config;
const { databaseTime, longestWait, longestWork } = timeouts;

const EMPTY = { body: '[]', headers: { 'Content-Type': 'application/json; charset=utf-8' } };

const bare: Handler = (_request, response) => {
  response.writeHead(200, { ...EMPTY.headers, 'Content-Length': EMPTY.body.length }).end(EMPTY.body);
};

const ours = (handler: Handler): Server =>
  httpServer(handler, { connections: maxConnections, unread: unreadLimit }).server;

const behindDoor = (handler: Handler): Server =>
  ours(
    admission(handler, {
      limit: maxRequests,
      longestWait,
      longestWork,
      busy: () => ({ body: '{}', headers: {} }),
    }),
  );

const onExpress = (...handlers: RequestHandler[]): Server => {
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  for (const handler of handlers) app.use(handler);
  return behindDoor(app);
};

const empty = express.Router();
empty.get('/api/tasks/me', (_request, response) => void response.json([]));

const headers = [safeHeaders, cors(corsOrigins), withoutOptions];

/** The routes of the service, of which the list is changed. */
async function onRouter(changed: (list: Route, tasks: InstanceType<typeof TaskService>) => Partial<Route>) {
  const database = await openDatabase(config, { onEnd: (error) => console.error(error) });
  const tokens = new Tokens(config.jwtSecret ?? '', systemClock);
  const none = undefined as never;
  const accounts: AccountService = new Accounts(database, systemClock, none, tokens, none);
  const tasks = new TaskService(database, systemClock, accounts, none);
  const routes = [...accountRoutes(accounts), ...taskRoutes(tasks, none)].map((route) =>
    route.method === 'get' && route.path === '/tasks/me' ? { ...route, ...changed(route, tasks) } : route,
  );
  const router = express.Router();
  router.use('/api', restRouter(routes, { tokens, accounts, bodyLimit, databaseTime }));
  return onExpress(...headers, router);
}

/** Not an empty list: whoever finds nothing asks whether the account is there. */
const nothing = { handle: async () => [0], answer: { schema: {}, write: () => '[]' } };

const rungs: Record<string, () => Server | Promise<Server>> = {
  bare: () => createServer((request, response) => bare(request, response, () => {})),
  door: () => behindDoor(bare),
  headers: () => onExpress(...headers, empty),
  token: () => onRouter(() => nothing),
  driver: async () => {
    const { tasksOf } = await import('./floor.queries.ts');
    return onRouter(() => ({ ...nothing, handle: ({ userId }) => tasksOf(userId, 101) }));
  },
  statement: () => onRouter(({ handle }) => ({ ...nothing, handle })),
};

const server = await rungs[process.env.RUNG ?? '']?.();
server?.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
