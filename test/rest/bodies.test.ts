import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type Answer, refusal, worldOf } from '../support/world.js';

/** Every endpoint with a body: its method, its path, and every field it knows. */
const endpoints: [endpoint: string, body: Record<string, unknown>][] = [
  ['POST /api/auth/signup', { name: 'Ana', email: 'ana@example.com', password: 'secret1' }],
  ['POST /api/auth/login', { email: 'ana@example.com', password: 'secret1' }],
  [
    'PUT /api/user/profile',
    { name: 'Bea', email: 'b@x', newPassword: 'secret2', profile_picture: 'http://x' },
  ],
  [
    'POST /api/tasks',
    { title: 'Swim', points: 2, description: 'A mile', is_daily_routine: true, challenge_template_id: 1 },
  ],
  ['PUT /api/tasks/:task', { title: 'Swim', points: 2, description: 'A mile', is_daily_routine: true }],
  ['POST /api/task-completions', { task_id: 1 }],
  ['POST /api/user-challenges/accept', { templateId: 1 }],
  ['PUT /api/user-challenges/:challenge/notes', { notes: 'Well begun' }],
];

/** A user with a task and an ACTIVE challenge, who can send anything anywhere. */
async function someone() {
  const { ana } = await worldOf('ana');
  const [task, challenge] = [await ana.hasTask(), await ana.hasAccepted(1)];
  const send = (endpoint: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> => {
    const [method = '', path = ''] = endpoint.split(' ');
    const own = path.replace(':task', String(task.id)).replace(':challenge', String(challenge.id));
    return ana.rest.send(method, own, body, headers);
  };
  return { ana, task, send };
}

/** Sends bytes to where tasks are made. */
async function bytesTo(path: string) {
  const { ana, base } = await worldOf('ana');
  const always = { authorization: `Bearer ${ana.token}`, 'content-type': 'application/json' };
  const statusOf = async (body: Buffer<ArrayBuffer>, more: Record<string, string> = {}) =>
    (await fetch(base + path, { method: 'POST', body, headers: { ...always, ...more } })).status;
  return { statusOf };
}

const NO_JSON = 'The body must be JSON in UTF-8 (Content-Type: application/json)';

const noText = [5, ['a'], { a: 'a' }];
const noId = ['1', 1.5, true, [1]];
/** By field: what a refusal calls it, and values of other types. */
const illTyped: Record<string, [called: string, values: unknown[]]> = {
  name: ['Name', [...noText, null]],
  email: ['Email', [...noText, null]],
  password: ['Password', [...noText, null]],
  newPassword: ['New password', [...noText, null]],
  profile_picture: ['Profile picture', noText],
  title: ['Title', [...noText, null]],
  description: ['Description', noText],
  points: ['Points', ['10', true, [10], null]],
  is_daily_routine: ['Daily routine', ['true', 1, [], null]],
  challenge_template_id: ['Challenge template id', noId],
  task_id: ['Task id', [...noId, null]],
  templateId: ['Template id', [...noId, null]],
  notes: ['Notes', [...noText, null]],
};
const OPTIONAL = ['points', 'description', 'is_daily_routine', 'challenge_template_id'];
const changesAnyPart = (endpoint: string) => /^PUT .*(profile|:task)$/.test(endpoint);

const quoted = (text: string) => `"${text}"`;
describe.each(endpoints)('%s', (endpoint, body) => {
  it('refuses in every field a value of another type, or none where one is needed, and names the field', async () => {
    const { send } = await someone();
    for (const field of Object.keys(body)) {
      const [called, values] = illTyped[field] ?? expect.unreachable(field);
      const isNeeded = !changesAnyPart(endpoint) && !OPTIONAL.includes(field);
      for (const value of isNeeded ? [undefined, ...values] : values) {
        const answer = await send(endpoint, { ...body, [field]: value });
        const said = value === undefined ? `${called} is missing: send ${field}$` : `${called} must`;
        expect(answer, JSON.stringify(value)).toEqual(refusal(400, expect.stringMatching(`^${said}`)));
      }
    }
  });

  it('is told in a header which fields are ignored, and none where all are known', async () => {
    const { send } = await someone();
    expect((await send(endpoint, body)).headers.has('ignored-fields')).toBe(false);
    const more = { ...body, colour: 'RED', 'é, ü\r\n': 1, constructor: {} };
    const { headers } = await send(endpoint, more);
    expect(headers.get('ignored-fields')).toBe('colour, %C3%A9%2C%20%C3%BC%0D%0A, constructor');
  });
});

describe('A body', () => {
  it('is read as JSON in UTF-8, however that is written, and of any other media type refused', async () => {
    const { send } = await someone();
    const well = ['APPLICATION/JSON', 'application/json;charset=utf-8', 'application/json; charset="UTF-8"'];
    for (const type of well) {
      const { status } = await send('POST /api/tasks', { title: 'Swim' }, { 'content-type': type });
      expect([type, status]).toEqual([type, 201]);
    }
    const others = [
      '',
      'json',
      'application/json5',
      'application/json; charset=latin1',
      'multipart/form-data',
    ];
    for (const [endpoint, body] of endpoints) {
      for (const type of endpoint === 'POST /api/tasks' ? others : ['text/plain'])
        expect(await send(endpoint, body, { 'content-type': type }), type).toEqual(refusal(415, NO_JSON));
      expect(await send(endpoint, body, { 'content-encoding': 'nonsense' })).toEqual(refusal(415));
    }
  });

  it('with the longest texts is not too large, even with every character escaped', async () => {
    const { send } = await someone();
    const escaped = (count: number) => quoted('\\ud83d\\ude00'.repeat(count));
    const text = `{"title":${escaped(500)},"description":${escaped(10_000)}}`;
    expect(await send('POST /api/tasks', text)).toMatchObject({ status: 201 });
  });

  it.each<[encoding: string, pack: (text: string) => Buffer<ArrayBuffer>]>([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', (text) => brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
    ['zstd', zstdCompressSync],
  ])('is unpacked from %s, up to its limit, and refused when it is broken', async (encoding, pack) => {
    const { statusOf } = await bytesTo('/api/tasks');
    const packed = pack('{"title":"Swim"}');
    const headers = { 'content-encoding': encoding };
    expect(await statusOf(packed, headers)).toBe(201);
    expect(await statusOf(pack(JSON.stringify({ title: 'x'.repeat(1_000_000) })), headers)).toBe(413);
    expect(await statusOf(packed.subarray(0, packed.length - 9), headers)).toBe(400);
  });

  it('in another encoding than UTF-8 is refused, and may begin with a byte order mark', async () => {
    const { statusOf } = await bytesTo('/api/tasks');
    const wide = Buffer.from('{"title":"Swim"}', 'utf16le');
    expect(await statusOf(Buffer.from('\ufeff{"title":"Swim"}'))).toBe(201);
    expect(await statusOf(wide, { 'content-type': 'application/json; charset=utf-16' })).toBe(415);
    expect(await statusOf(wide)).toBe(400);
    for (const broken of ['\xff', '\xe2\x82', '\xc0\xaf', '\xed\xa0\x80', '\xf5\x80\x80\x80'])
      expect(await statusOf(Buffer.from(`{"title":"${broken}"}`, 'latin1')), broken).toBe(400);
  });

  it.each([
    ...['"a\\u0000b@x"', '"aaaaaa\\ud800@x"', '1e400'],
    ...[`${'['.repeat(50_000)}${']'.repeat(50_000)}`, '{"__proto__":{"length":9},"toString":1}'],
  ])('is refused in every field where it holds what none takes: %.40s', async (value) => {
    const { send } = await someone();
    for (const [endpoint, body] of endpoints)
      for (const field of Object.keys(body)) {
        const text = JSON.stringify({ ...body, [field]: '…' }).replace('"…"', value);
        expect(await send(endpoint, text), `${endpoint} ${field}`).toEqual(refusal(400));
      }
  });

  it('that is missing is treated like an empty object', async () => {
    const { send } = await someone();
    for (const [endpoint] of endpoints) {
      const expected = changesAnyPart(endpoint) ? expect.objectContaining({ status: 200 }) : refusal(400);
      expect(await send(endpoint), endpoint).toEqual(expected);
      expect(await send(endpoint, {}), endpoint).toEqual(expected);
    }
  });

  it('names few of many ignored fields, also in a refusal', async () => {
    const { send } = await someone();
    const names = Array.from({ length: 100 }, (_, at) => [`${at}`.padEnd(99, '😀'), 1]);
    const { status, headers } = await send('POST /api/tasks', Object.fromEntries(names));
    expect(status).toBe(400);
    const named = headers.get('ignored-fields')?.split(', ') ?? [];
    expect([named.length, named.at(-1)]).toEqual([11, '...']);
  });
});
