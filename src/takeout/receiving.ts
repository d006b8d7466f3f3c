import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AccountService } from '../accounts/account.service.js';
import type { Callers } from '../accounts/callers.js';
import { overloaded } from '../errors.js';
import { jsonBody, type WithBody } from '../http/body.js';
import { endWithJson } from '../http/writing.js';
import { asRequest } from '../request.js';
import { notAnObject } from '../rest/errors.js';
import { noteCaller } from '../telemetry/trail.js';
import { inputFrom } from '../validation.js';
import { ImportedFile } from './import.input.js';
import type { ImportService } from './import.service.js';

export interface ReceivingSettings {
  callers: Callers;
  accounts: AccountService;
  imports: ImportService;
  /** In bytes. */
  importLimit: number;
  /** In milliseconds: how long an import may send statements. */
  time: number;
}

/** Commas and brackets that a file may have: some 300,000 completions. Parsing holds up all other requests. */
const MOST_VALUES = 2_000_000;

/**
 * One at a time: parsed, a file takes ten times its size. It is its turn when it has arrived, so that nobody waits for
 * somebody with a slow connection; until then the door bounds what is held of all of them.
 */
export function receiving({ accounts, callers, imports, importLimit, time }: ReceivingSettings) {
  const arriving = new Set<IncomingMessage>();
  let atWork: IncomingMessage | undefined;
  const parseJson = jsonBody(importLimit, {
    mostValues: MOST_VALUES,
    beforeParsing: (request) => {
      if (atWork || !arriving.has(request)) throw Object.assign(new Error('Busy'), { status: BUSY });
      atWork = request;
    },
  });

  const bodyOf = async (request: WithBody, response: ServerResponse): Promise<object> => {
    await new Promise<void>((resolve, reject) => {
      response.once('close', () => reject(overloaded())); // the rest of the body never comes, and nobody reads this
      parseJson(request, response, (error?: unknown) => (error ? reject(error) : resolve()));
    });
    const { body } = request;
    if (body === undefined) throw Object.assign(new Error('Not JSON'), { status: 415 });
    if (typeof body !== 'object' || body === null || Array.isArray(body)) throw notAnObject();
    return body;
  };

  const take = async (request: IncomingMessage, response: ServerResponse, userId: string) => {
    const body = await bodyOf(request, response);
    const work = async () => imports.run(userId, inputFrom(ImportedFile, body));
    endWithJson(response, 201, await asRequest(time, () => accounts.unlessGone(userId, work), userId));
  };

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { userId } = await callers.require(request.headers.authorization, 'SESSION');
    arriving.add(request);
    noteCaller(request.trail, userId);
    try {
      await take(request, response, userId);
    } catch (error) {
      const { status } = error as { status?: unknown };
      if (status === BUSY) throw overloaded();
      if (status !== 413) throw error;
      const most = `at most ${importLimit} bytes, and ${MOST_VALUES} commas and brackets`;
      endWithJson(response, 413, { error: `The file is too large: ${most}` });
    } finally {
      arriving.delete(request);
      if (atWork === request) atWork = undefined;
    }
  };
}

const BUSY = 503;
