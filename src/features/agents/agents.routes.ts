import type { IncomingMessage, ServerResponse } from 'node:http';
import { type RequestHandler, Router } from 'express';
import type { Logger } from 'pino';
import type { Config } from '../../base/config.js';
import {
  forbidden,
  invalid,
  type Reason,
  Refusal,
  reasonOfStatus,
  unauthenticated,
} from '../../base/errors.js';
import { shareSuccess } from '../../base/queues/shared-call.js';
import { asRequest } from '../../base/request.js';
import type { Caller } from '../../base/scopes.js';
import { refusalOf } from '../../database/outcome.js';
import { addressOf, type Trust } from '../../http/address.js';
import { ERROR_REASON, endWith, isWelcome } from '../../http/answers.js';
import { jsonBody, type WithBody } from '../../http/body.js';
import { type Failed, INTERNAL, MESSAGES, noteRefusal, statusOf } from '../../rest/errors.js';
import { noteCaller, noteRoute } from '../../telemetry/trail.js';
import type { Callers } from '../account/callers.js';
import { agentLimits } from './limits.js';
import type { Answer } from './mcp.js';

const PATH = '/mcp';

/** Codes of JSON-RPC. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const SERVER_ERROR = -32_000;

interface Settings {
  config: Pick<Config, 'bodyLimit' | 'corsOrigins'> & { timeouts: Pick<Config['timeouts'], 'databaseTime'> };
  callers: Pick<Callers, 'identify'>;
  trusts: Trust;
  log: Logger;
  /** Loaded at the first request: the protocol takes a fifth of a second and 25 MB, which not everybody needs. */
  load: () => Promise<Answer>;
}

/** `/mcp` (Streamable HTTP, stateless). Only API tokens are bearers, and nothing of HTTP comes further than this file. */
export function agentRoutes({ config, callers, trusts, log, load }: Settings): Router {
  const readJson = jsonBody(config.bodyLimit);
  const answer = shareSuccess(load);
  const serve = async (request: WithBody, response: ServerResponse) => {
    if (!isWelcome(request, config.corsOrigins)) throw foreignOrigin();
    if (request.method !== 'POST') return refuseMethod(response);
    const caller = await callerOf(callers, request.headers.authorization);
    noteCaller(request.trail, caller.userId, addressOf(request, trusts));
    await readJson(request, response);
    const { body } = request;
    if (body === undefined) throw Object.assign(new Error('Not JSON'), { status: 415 });
    if (Array.isArray(body) && body.length > agentLimits.messages)
      throw invalid(`At most ${agentLimits.messages} messages can be sent at once`);
    const answerTo = await answer();
    const answered = await asRequest(
      config.timeouts.databaseTime,
      () => answerTo(caller, headersOf(request), body),
      caller.userId,
    );
    if (answered.status >= 500)
      log.error({ route: PATH, status: answered.status }, 'An agent was not answered');
    await pass(answered, response);
  };
  const handle: RequestHandler = (request, response) => {
    noteRoute(request, PATH);
    response.setHeader('Cache-Control', 'no-store');
    serve(request, response).catch((error: Failed) => fail(error, response, log));
  };
  return Router({ caseSensitive: true }).all(PATH, handle);
}

/** The form is that of RFC 6750. */
const CHALLENGE = 'Bearer realm="Steady"';
const INVALID_TOKEN = `${CHALLENGE}, error="invalid_token"`;

const foreignOrigin = () => forbidden('Pages of this origin are not welcome', reasonOfStatus(403));

async function callerOf(callers: Settings['callers'], authorization: unknown): Promise<Caller> {
  const caller = await callers.identify(authorization);
  if (caller?.scopes) return caller;
  if (authorization === undefined)
    throw unauthenticated('Send an API token: Authorization: Bearer steady_…', 'TOKEN_MISSING');
  throw unauthenticated(
    caller ? 'Only an API token is a bearer here, and not that of a session' : 'The API token is not valid',
  );
}

/** There is nothing to listen to, and no session to end. */
function refuseMethod(response: ServerResponse): void {
  response.setHeader('Allow', 'POST');
  endWithError(response, { status: 405, code: SERVER_ERROR, message: 'Use POST here' });
}

/** Passes on those that the protocol looks at. Every answer is one JSON text, whatever else a client would take. */
function headersOf({ headers }: IncomingMessage): Headers {
  const ofProtocol = Object.entries(headers).filter(([name]) => name.startsWith('mcp-'));
  return new Headers([
    ...ofProtocol.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
    ['accept', 'application/json, text/event-stream'],
    ['content-type', 'application/json'],
  ] as [string, string][]);
}

async function pass(answered: Response, response: ServerResponse): Promise<void> {
  response.statusCode = answered.status;
  const type = answered.headers.get('content-type');
  if (type) response.setHeader('Content-Type', type);
  endWith(response, await answered.text());
}

function fail(error: Failed, response: ServerResponse, log: Logger): void {
  const refusal = error instanceof Refusal ? error : refusalOf(error);
  if (response.headersSent) response.destroy();
  else if (refusal) refuse(response, refusal);
  else endWithError(response, faultOf(error, log));
}

function refuse(response: ServerResponse, refusal: Refusal): void {
  const { kind, reason, message } = refusal;
  noteRefusal(response, refusal);
  if (kind === 'unauthenticated')
    response.setHeader('WWW-Authenticate', reason === 'TOKEN_MISSING' ? CHALLENGE : INVALID_TOKEN);
  const code = kind === 'invalid' ? INVALID_REQUEST : SERVER_ERROR;
  endWithError(response, { status: statusOf[kind], code, message, reason });
}

/** Tells a body that cannot be read from a fault of ours. */
function faultOf(error: Failed, log: Logger): RpcError {
  const { status, type } = error;
  if (type === 'entity.parse.failed')
    return { status: 400, code: PARSE_ERROR, message: 'The body is not valid JSON' };
  if (typeof status === 'number' && status >= 400 && status < 500)
    return {
      status,
      code: SERVER_ERROR,
      message: MESSAGES[status as keyof typeof MESSAGES] ?? MESSAGES[400],
    };
  log.error({ err: error, route: PATH }, 'A request failed');
  return { status: 500, code: SERVER_ERROR, message: INTERNAL };
}

interface RpcError {
  status: number;
  code: number;
  message: string;
  reason?: Reason;
}

/** Answers in the form of the protocol. Which message it is about is not known here. */
function endWithError(
  response: ServerResponse,
  { status, code, message, reason = reasonOfStatus(status) }: RpcError,
): void {
  const { trail } = response.req;
  if (trail) trail.reason = reason;
  response.statusCode = status;
  response.setHeader(ERROR_REASON, reason);
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  endWith(response, JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message, data: { reason } } }));
}
