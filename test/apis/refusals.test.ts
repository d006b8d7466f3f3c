import { expect, it } from 'vitest';
import type { Reason } from '../../src/base/errors.js';
import { reasons } from '../../src/features.js';
import { overGraphql, overRest } from '../support/apis.js';
import type { Result } from '../support/live.js';
import { transports } from '../support/transports.js';
import { type Answer, RestClient } from '../support/world.js';
import type { Ask, Refusal } from './refusal.js';
import { type Ids, scene } from './refusal-scene.js';
import { operations, tables } from './refusals.js';

/** Any other reason is answered 400. */
const statuses: Partial<Record<Reason, number>> = {
  ...{ TOKEN_MISSING: 401, TOKEN_INVALID: 401, INVALID_CREDENTIALS: 401, SIGN_UP_CLOSED: 403 },
  ...{ ACCOUNT_SUSPENDED: 403, SCOPE_MISSING: 403, NOT_FOUND: 404, TOO_MANY_ATTEMPTS: 429 },
  ...{ INTERNAL: 500, OVERLOADED: 503, DATABASE_AWAY: 503, DATABASE_FULL: 503 },
};

interface Told {
  message: string;
  reason: string | null | undefined;
  code?: string;
  fields?: { name: string; message: string }[];
  [name: string]: unknown;
}

interface Asking {
  base: string;
  authorization: string | undefined;
  ids: Ids;
  /** Where what REST answers is noted: `PUT /api/tasks/1 404 Task not found`. */
  met: Set<string>;
}

/** Answers with what all errors of the answer say. */
type Way = (ask: Ask, asking: Asking) => Promise<Told[]>;

/** Whether a text is for REST. */
const isForRest = (ask: Ask) => typeof ask === 'string' && /^[A-Z]+ \//.test(ask);

const withIds = (text: string, ids: Ids) =>
  text.replace(/\$(\w+)/g, (whole, name) => (name in ids ? JSON.stringify(ids[name as keyof Ids]) : whole));

/** All of a refusal in REST but its reason is one sentence as JSON, whatever was asked. */
function toldBy({ status, body, headers }: Answer): Told {
  expect(headers.get('content-type')).toMatch(/^application\/json\b/);
  expect(body).toEqual({ error: expect.stringMatching(/^\p{Lu}[^\n]+$/u) });
  expect(headers.has('retry-after')).toBe([429, 503].includes(status));
  expect(headers.has('allow')).toBe(status === 405);
  return { message: body.error, reason: headers.get('error-reason'), status };
}

const byRest: Way = async (ask, { base, authorization, ids, met }) => {
  const rest = new RestClient(base);
  const told: Told[] = [];
  const send: RestClient['send'] = async (method, path, body, headers) => {
    const given = authorization === undefined ? headers : { ...headers, authorization };
    const answer = await rest.send(method, path, body, given);
    told.push(toldBy(answer));
    met.add(`${method} ${path} ${answer.status} ${answer.body.error}`);
    return answer;
  };
  if (typeof ask === 'function') await ask(overRest({ send }), ids).catch(() => {});
  else {
    const [, method = '', path = '', body] = /^([A-Z]+) (\/\S*) ?(.*)$/s.exec(String(ask)) ?? [];
    await send(method, path, body ? withIds(body, ids) : undefined);
  }
  return told;
};

const byGraphql =
  (over: (typeof transports)[number][1]): Way =>
  async (ask, { base, authorization, ids }) => {
    const told: Told[] = [];
    const send = async (query: string, variables?: Record<string, unknown>) => {
      const asked = { query, ...(variables && { variables }) };
      const answer = await over(base, { ...asked, ...(authorization !== undefined && { authorization }) });
      expect(JSON.stringify(answer)).not.toMatch(/node_modules|stacktrace|"http"/);
      for (const { message, extensions } of answer.errors ?? []) told.push({ ...extensions, message });
      return answer;
    };
    if (typeof ask === 'function') await ask(overGraphql(send, 'secret1'), ids).catch(() => {});
    else if (typeof ask !== 'string') await send(...ask);
    else await send(withIds(/^({|query|mutation|subscription)/.test(ask) ? ask : `mutation { ${ask} }`, ids));
    return told;
  };

/** REST twice: however often. */
const WAYS: [name: string, way: Way][] = [
  ['REST', byRest],
  ...transports.map(([name, over]): [string, Way] => [`GraphQL by ${name}`, byGraphql(over)]),
  ['REST', byRest],
];

/** A client cannot bring these about, or only with thousands of requests, or in ways that other tests try. */
const BEYOND =
  /^\d+ (You can have at most \d+ (tasks|challenges)$|(The|An) API token|The body must be JSON in UTF-8)/;

/** Errors of clients in the document of REST that their routes were not seen to answer. */
const unmetOf = (met: Set<string>) =>
  operations.flatMap(({ method, address, responses }) => {
    const route = new RegExp(`^${method} ${address.replace(/{\w+}/, '[^/ ]+')} (.*)$`);
    const here = new Set([...met].map((each) => route.exec(each)?.[1]));
    const documented = Object.entries<Result>(responses).flatMap(([status, { content }]) =>
      Object.values<Result>(content['application/json'].examples ?? {}).map(
        ({ value }) => `${status} ${value.error}`,
      ),
    );
    const unmet = documented.filter((error) => /^4/.test(error) && !BEYOND.test(error) && !here.has(error));
    return unmet.map((error) => `${method} ${address} ${error}`);
  });

const isAskedBy = (way: string, ask: Ask) => typeof ask === 'function' || isForRest(ask) === (way === 'REST');

function expectTold(
  told: Told[],
  way: string,
  name: string,
  { reason: given, says, field, limit, status }: Refusal,
) {
  const reason = way !== 'REST' && reasons[given]?.isOfRest ? 'NOT_FOUND' : given;
  const sentence =
    typeof says === 'object' && 'REST' in says ? says[way === 'REST' ? 'REST' : 'GraphQL'] : says;
  const message = typeof sentence === 'string' ? sentence : expect.stringMatching(sentence);
  expect.soft(told, name).not.toEqual([]);
  for (const each of told) {
    expect.soft(each, name).toMatchObject({ message, reason });
    if (limit)
      expect.soft([each.limit, Number(each.actual) > Number(each.maximum)], name).toEqual([limit, true]);
    if (way === 'REST') expect.soft(each.status, name).toBe(status ?? statuses[reason] ?? 400);
    else expect.soft(reasons[reason]?.codes, name).toContain(each.code);
    if (way === 'REST' || !field) continue;
    expect.soft(each.fields ?? [], name).toContainEqual({ name: field, message: expect.any(String) });
  }
}

it('Whatever is refused is told why by both APIs, however often, and changes nothing', async () => {
  const there = await scene();
  const { services, callers, ids } = there;
  const before = await there.everything();
  const met = new Set<string>();
  for (const [name, table] of Object.entries(tables)) {
    const reasonsSeen = new Set<Reason>();
    for (const refusal of table) {
      const { reason, by = 'ana', at = 'here', asks } = refusal;
      const asking = { base: services[at].base, authorization: callers[by], ids, met };
      for (const [number, [what, ask]] of Object.entries(asks).entries()) {
        const isNew = number === 0 && !reasonsSeen.has(reason);
        for (const [way, send] of isNew ? WAYS : WAYS.slice(0, 2))
          if (isAskedBy(way, ask))
            expectTold(await send(ask, asking), way, `${reason}, ${what}, by ${way}`, refusal);
      }
      reasonsSeen.add(reason);
    }
    expect(await there.everything(), `After all that those of ${name} refuse`).toEqual(before);
  }
  expect(unmetOf(met)).toEqual([]);
});

it('Every reason is that of a refusal', () => {
  const met = new Set(Object.values(tables).flatMap((table) => table.map(({ reason }) => reason)));
  expect([...met].sort()).toEqual(Object.keys(reasons).sort());
});
