import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AccountService } from '../src/accounts/account.service.js';
import type { Handler } from '../src/http/answers.js';
import type { Shortcuts } from '../src/http/server.js';
import type { Route } from '../src/rest/route.js';
import {
  AccountService as Accounts,
  accountRoutes,
  admission,
  admissionLine,
  Callers,
  cors,
  httpServer,
  openDatabase,
  readConfig,
  restRoutes,
  safeHeaders,
  systemClock,
  TaskService,
  Tokens,
  taskRoutes,
  trust,
  withShortcuts,
} from './built.ts';

// One rung of `questions/layers.ts`: a server of the layers up to the named one, put together as `app.ts` does it. Below the
// last rung an empty list is answered.

const config = readConfig();
const { bodyLimit, corsOrigins, databasePoolSize, maxConnections, timeouts } = config;
const { databaseTime, longestWork } = timeouts;

const EMPTY = { body: '[]', headers: { 'Content-Type': 'application/json; charset=utf-8' } };

const bare: Handler = (_request, response) => {
  response.writeHead(200, { ...EMPTY.headers, 'Content-Length': EMPTY.body.length }).end(EMPTY.body);
};

const ours = (handler: Handler): Server => httpServer(handler, { connections: maxConnections }).server;

const admitted = (handler: Handler): Server =>
  ours(
    admission(handler, {
      line: admissionLine(config),
      longestWorkMs: longestWork,
      ownerOf: ({ socket }) => `${socket.remotePort}`,
      busy: () => ({ body: '{}', headers: {} }),
    }),
  );

const before = [safeHeaders, cors(corsOrigins)];

/** The shortcuts of the service, without Express behind them. */
const onShortcuts = (shortcuts: Shortcuts): Server => {
  const nowhere: Handler = (_request, response) => void response.writeHead(404).end();
  return admitted(withShortcuts(nowhere, before, shortcuts));
};

/** The routes of the service, of which the list is changed. */
async function onRouter(changed: (list: Route, tasks: InstanceType<typeof TaskService>) => Partial<Route>) {
  const database = await openDatabase(config, { onEnd: (error) => console.error(error) });
  const tokens = new Tokens(config.jwtSecret ?? '', systemClock);
  const callers = new Callers(database, systemClock, tokens, databaseTime);
  const none = undefined as never;
  const accounts: AccountService = new Accounts(database, systemClock, none, tokens, callers, none, none);
  const tasks = new TaskService(database, systemClock, accounts, none);
  const routes = [...accountRoutes(accounts), ...taskRoutes(tasks, none)].map((route) =>
    route.method === 'get' && route.path === '/tasks/me' ? { ...route, ...changed(route, tasks) } : route,
  );
  const fail = (error: unknown) => console.error(error);
  const limits = { bodyLimit, importLimit: bodyLimit, databasePoolSize };
  const settings = {
    callers,
    accounts,
    clock: systemClock,
    ...limits,
    databaseTime,
    trusts: trust(undefined),
    fail,
  };
  return onShortcuts(restRoutes(routes, settings).shortcuts);
}

/** Not an empty list: whoever finds nothing asks whether the account is there. */
const nothing = { handle: async () => [0], answer: { schema: {}, write: () => '[]' } };

const rungs: Record<string, () => Server | Promise<Server>> = {
  bare: () => createServer((request, response) => bare(request, response, () => {})),
  admission: () => admitted(bare),
  headers: () => onShortcuts([['GET /api/tasks/me', bare]]),
  token: () => onRouter(() => nothing),
  driver: async () => {
    const { tasksOf } = await import('./baseline.queries.ts');
    return onRouter(() => ({ ...nothing, handle: ({ userId }) => tasksOf(userId, 101) }));
  },
  statement: () => onRouter(({ handle }) => ({ ...nothing, handle })),
};

const server = await rungs[process.env.RUNG ?? '']?.();
server?.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
