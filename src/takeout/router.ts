import type { IncomingMessage, ServerResponse } from 'node:http';
import { Router } from 'express';
import type { Clock } from '../clock.js';
import { write } from '../http/writing.js';
import { Line } from '../queues/line.js';
import { asRequest } from '../request.js';
import type { AnswerError } from '../rest/errors.js';
import { noteCaller, noteRoute } from '../telemetry/trail.js';
import type { ExportService, Parts } from './export.service.js';
import { type ReceivingSettings, receiving } from './receiving.js';
import { type Packed, Spool } from './spool.js';

export interface TakeoutSettings extends Omit<ReceivingSettings, 'time'> {
  exports: ExportService;
  clock: Clock;
  /** In milliseconds: how long one part of an export may send statements. */
  databaseTime: number;
  fail: AnswerError;
}

/** All parts together have this much time: an account may be large, and nobody else waits for it on a server. */
const PARTS = 10;

/** How many exports read at a time. */
const READ_AT_A_TIME = 2;

interface File {
  path: string;
  type: string;
  name: (day: string) => string;
  read: (userId: string, work: (parts: Parts) => Promise<void>) => Promise<void>;
}

/** What people take along, below `/account`. It only translates: the rules are those of the services. */
export function takeoutRoutes(settings: TakeoutSettings): Router {
  const { exports, callers, fail } = settings;
  const router = Router({ caseSensitive: true });
  const send = sending(settings);
  const files: File[] = [
    {
      path: '/export',
      type: 'application/json; charset=utf-8',
      name: (day) => `steady-${day}.json`,
      read: (userId, work) => exports.document(userId, work),
    },
    {
      path: '/completions.csv',
      type: 'text/csv; charset=utf-8; header=present',
      name: (day) => `steady-completions-${day}.csv`,
      read: (userId, work) => exports.completions(userId, work),
    },
  ];
  for (const file of files) {
    router.get(file.path, (request, response) => {
      response.setHeader('Cache-Control', 'no-store');
      noteRoute(request, `/account${file.path}`);
      callers
        .require(request.headers.authorization, 'READ')
        .then(({ userId }) => {
          noteCaller(request.trail, userId);
          return send(request, response, file, userId);
        })
        .catch((error) => fail(error, request, response));
    });
  }
  const receive = receiving({ ...settings, time: PARTS * settings.databaseTime });
  router.post('/import', (request, response) => {
    response.setHeader('Cache-Control', 'no-store');
    noteRoute(request, '/account/import');
    receive(request, response).catch((error) => fail(error, request, response));
  });
  return router;
}

/**
 * Everything is read first, in one transaction and at the pace of the database, and then sent at that of the client:
 * however slowly that reads, no connection to the database waits for it.
 */
function sending({ accounts, clock, databaseTime }: TakeoutSettings) {
  const spool = new Spool();
  const reading = new Line({ size: READ_AT_A_TIME }, null);

  const fill = (packed: Packed, response: ServerResponse, { read }: File, userId: string) =>
    read(userId, async (parts) => {
      for (;;) {
        if (response.closed) return;
        const part = await asRequest(databaseTime, () => parts.next(), userId);
        if (part.done) return packed.end();
        await packed.add(part.value);
      }
    });

  return async (request: IncomingMessage, response: ServerResponse, file: File, userId: string) => {
    const beginning = () => {
      response.setHeader('Content-Type', file.type);
      const name = file.name(clock.now().toISOString().slice(0, 10));
      response.setHeader('Content-Disposition', `attachment; filename="${name}"`);
    };
    if (request.method === 'HEAD') {
      await asRequest(databaseTime, () => accounts.assertExists(userId), userId);
      beginning();
      return void response.end();
    }
    const sendAll = async (packed: Packed) => {
      await reading.hold(userId, () =>
        asRequest(PARTS * databaseTime, () => fill(packed, response, file, userId), userId),
      );
      if (response.closed) return void response.end(); // it tells the door that the work is over
      beginning();
      for await (const piece of packed.unpacked()) {
        if (response.closed) break;
        await write(response, piece);
      }
      response.end();
    };
    await spool.use(userId, sendAll, () => response.headersSent && response.destroy());
  };
}
