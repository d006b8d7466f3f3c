import type { ServerResponse } from 'node:http';
import { Refusal } from '../../base/errors.js';
import { languageFor } from '../../base/languages/choice.js';
import { inputFrom } from '../../base/validation.js';
import { endWith, vary } from '../../http/answers.js';
import { bytesBody, hasBody, jsonIn, type WithBody } from '../../http/body.js';
import { notAnObject, noteRefusal } from '../../rest/errors.js';
import type { LinkRoute } from '../../rest/route.js';
import type { AccountService } from '../account/account.service.js';
import { checkedInSerializer } from './check-in.serializer.js';
import { archived, type CheckInService, noLink, over } from './check-in.service.js';
import { CheckInInput } from './check-in-link.input.js';
import { type Asked, checkInPage, PAGE_POLICY, refusedPage } from './check-in-page.js';

const BODY_BYTES = 16_384;

const receive = bytesBody(BODY_BYTES, [
  'application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
]);

/** The address itself is what lets in: nobody has to log in, and no token is looked at. */
export const checkInRoutes = (
  checkIns: CheckInService,
  accounts: AccountService,
  publicPath: string,
): LinkRoute[] => {
  const routes = {
    show: {
      method: 'get' as const,
      path: '/:token',
      summary: 'Show how the task of a check-in link stands today',
      example: { answer: { ...standing, counted: false } },
    },
    complete: {
      method: 'post' as const,
      path: '/:token',
      summary: 'Complete the task of a check-in link',
      body: CheckInInput,
      example: { body: { key: 'morning' }, wrong: [{ amount: 0 }, { key: 'été' }], answer: standing },
    },
    undo: {
      method: 'post' as const,
      path: '/:token/undo',
      summary: 'Take back what a check-in link did last, within ten minutes',
      example: { answer: { ...standing, done: false, streak: 0, counted: false } },
    },
  } satisfies Record<Asked, Partial<LinkRoute>>;
  const work = {
    show: (token: string) => checkIns.show(token),
    complete: (token: string, input: CheckInInput) => checkIns.complete(token, input),
    undo: (token: string) => checkIns.undo(token),
  };
  const serve = async (asked: Asked, { request, response, token }: Served) => {
    response.setHeader('X-Robots-Tag', 'noindex');
    vary(response, 'Accept');
    const wantsJson = prefersJson(request);
    const language = request.headers['accept-language'];
    try {
      const input = asked === 'complete' ? await inputOf(request, response) : new CheckInInput();
      const standing = await work[asked](token, input);
      if (wantsJson) return endWithText(response, checkedInSerializer.write(standing), JSON_TYPE);
      const account = await accounts.get(standing.task.userId);
      const path = `${publicPath}/check-in/${token}`;
      const shown = { asked, path, language: languageFor(account.language, language) };
      endWithText(response, checkInPage(standing, shown), HTML_TYPE);
    } catch (caught) {
      const error = ofLink(caught);
      if (wantsJson || !(error instanceof Refusal)) throw error;
      noteRefusal(response, error);
      const reason = error.kind === 'missing' ? 'unknown' : error.kind === 'gone' ? 'gone' : 'failed';
      endWithText(response, refusedPage(languageFor(null, language), reason), HTML_TYPE);
    }
  };
  return (Object.keys(routes) as Asked[]).map((asked) => ({
    ...routes[asked],
    access: 'OPEN',
    status: 200,
    answer: checkedInSerializer,
    refuses: asked === 'show' ? [noLink(), archived()] : [noLink(), archived(), over()],
    userOf: (token) => checkIns.userOf(token),
    serve: (served) => serve(asked, served),
  }));
};

const standing = {
  task: 'Swim 1 km',
  day: '2026-11-21',
  done: true,
  amount: 0,
  target: null,
  unit: null,
  streak: 1,
  counted: true,
};

type Served = Parameters<LinkRoute['serve']>[0];

/** A link whose account is gone is answered as one that never was. */
const ofLink = (error: unknown): unknown =>
  error instanceof Refusal && error.kind === 'unauthenticated' ? noLink() : error;

const JSON_TYPE = 'application/json; charset=utf-8';
const HTML_TYPE = 'text/html; charset=utf-8';

function endWithText(response: ServerResponse, text: string, type: string): void {
  response.setHeader('Content-Type', type);
  if (type === HTML_TYPE) response.setHeader('Content-Security-Policy', PAGE_POLICY);
  endWith(response, text);
}

/**
 * The address of a link answers with a page unless JSON is asked for, since people scan it from a sticker. Below `/api`
 * it is the other way round.
 */
function prefersJson({ url = '', headers: { accept = '' } }: WithBody): boolean {
  const json = accept.indexOf('application/json');
  const html = accept.indexOf('text/html');
  if (json === -1) return html === -1 && /^\/api\//.test(url);
  return html === -1 || json < html;
}

/** An empty body, a form, or JSON. */
async function inputOf(request: WithBody, response: ServerResponse): Promise<CheckInInput> {
  await new Promise<void>((resolve, reject) => {
    receive(request, response, (error?: unknown) => (error ? reject(error) : resolve()));
  });
  const { body } = request;
  if (!Buffer.isBuffer(body)) {
    if (hasBody(request)) throw Object.assign(new Error('Not JSON'), { status: 415 });
    return new CheckInInput();
  }
  const type = request.headers['content-type'] ?? '';
  return inputFrom(
    CheckInInput,
    /^application\/json/i.test(type) ? objectIn(body) : await formIn(body, type),
  );
}

function objectIn(body: Buffer): object {
  if (body.length === 0) return {};
  const found = jsonIn(body);
  if (typeof found !== 'object' || found === null || Array.isArray(found)) throw notAnObject();
  return found;
}

/** What is left empty in a form is not given. */
async function formIn(body: Buffer, type: string): Promise<object> {
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } })
    .formData()
    .catch(() => {
      throw Object.assign(new Error('Not a form'), { status: 400 });
    });
  const given = [...form].filter(([, value]) => value !== '');
  return Object.fromEntries(given.map(([name, value]) => [name, typed(name, value)]));
}

function typed(name: string, value: unknown): unknown {
  if (name === 'amount') return Number(value);
  const isFlag = name === 'once' && (value === 'true' || value === 'false');
  return isFlag ? value === 'true' : value;
}
