import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { model } from '../../mikro-orm.config.js';
import { openServer, unhurried } from '../../src/database/server/open.js';
import { User } from '../../src/features/account/user.entity.js';
import { createLog } from '../../src/telemetry/log.js';
import { withServer } from '../support/with-server.js';

function recorded() {
  const lines: string[] = [];
  const log: Logger = createLog({ logLevel: 'trace' }, { write: (line) => void lines.push(line) });
  return { log, lines };
}

describe('The log', () => {
  it('tells of a failing statement, and nothing of its data', () => {
    const { log, lines } = recorded();
    const secrets = {
      query: 'insert into users',
      params: ['ana@example.com', 'hash'],
      detail: 'ana@example.com',
    };
    log.error({ err: Object.assign(new Error('disk full'), secrets, { code: '53100' }) }, 'A request failed');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      msg: 'A request failed',
      err: { message: 'disk full', code: '53100', stack: expect.stringContaining('disk full') },
    });
    expect(lines.join()).not.toMatch(/ana@example\.com|hash|insert/);
  });

  it('tells which request a line belongs to', () => {
    const lines: string[] = [];
    let requestId: string | undefined = 'made-by-7';
    const log = createLog(
      { logLevel: 'info', requestId: () => requestId },
      { write: (line) => void lines.push(line) },
    );
    log.info('in it');
    requestId = undefined;
    log.info('after it');
    expect(lines.map((line) => JSON.parse(line).request)).toEqual(['made-by-7', undefined]);
  });

  it.each(['s3cret', null, 5, { password: 's3cret' }])('tells nothing of a non-error: %j', (thrown) => {
    const { log, lines } = recorded();
    log.error({ err: thrown }, 'A request failed');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      err: { type: typeof thrown },
      msg: 'A request failed',
    });
    expect(lines.join()).not.toContain('s3cret');
  });

  it.each([
    ['a line of its own', 'x\n{"level":50,"msg":"forged"}'],
    ['colours and a bell', '\u001b[31mred\u001b[0m\u0007'],
    ['quotes and backslashes', '","msg":"forged\\'],
  ])('stays one line of JSON with %s in it', (_what, text) => {
    const { log, lines } = recorded();
    log.error({ err: new Error(text), path: text, method: text }, text);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^\P{Cc}*\n$/u);
    expect(Object.keys(JSON.parse(lines[0] ?? ''))).toEqual([
      'level',
      'time',
      'err',
      'path',
      'method',
      'msg',
    ]);
  });
});

const server = withServer();

/** Values as somebody may choose them to get out of where errors keep them. */
const SECRETS = [
  's3cret-name\n    at s3cret (file:///s3cret.js:1:1)',
  's3cret@example.com',
  's3cret-hash',
  's3cret "id"',
];
const [NAME = '', EMAIL = '', HASH = '', ID = ''] = SECRETS;

describe('What the database says of failing statements', () => {
  it('reaches the log without a value in it', async () => {
    const database = await openServer(model, {
      url: await server.newDatabase(),
      poolSize: 2,
      patience: unhurried,
    });
    onTestFinished(() => database.close());
    const { log, lines } = recorded();
    const query = database.orm.em.fork().getKysely();
    const now = new Date();
    const add = (user: object) =>
      database.transaction(async (tx) => {
        const values = {
          id: randomUUID(),
          name: NAME,
          email: EMAIL,
          passwordHash: HASH,
          createdAt: now,
          updatedAt: now,
        };
        tx.create(User, { ...values, ...user });
        await tx.flush();
      });
    await add({});
    await database.orm.em.fork().execute('alter table users add constraint short check (length(name) < 99)');
    const failing: [code: string, work: () => Promise<unknown>][] = [
      ['23505', () => add({})],
      ['23514', () => add({ email: 'other', name: NAME.padEnd(100) })],
      ['23502', () => add({ email: null })],
      [
        '22P02',
        () =>
          query
            .selectFrom('users' as never)
            .where('id' as never, '=', ID as never)
            .execute(),
      ],
      ['22P02', () => database.transaction(async (tx) => void (await tx.findOne(User, { id: ID })))],
      ['22P02', () => database.orm.em.fork().execute(`select ?::int`, [ID])],
      ['22007', () => database.orm.em.fork().execute(`select ?::timestamptz`, [ID])],
      ['22003', () => database.orm.em.fork().execute(`select ?::text::int`, ['93333333333333333'])],
    ];
    for (const [code, work] of failing) {
      const error = await work().then(
        () => new Error('It did not fail'),
        (reason: unknown) => reason,
      );
      log.error({ err: error }, 'A request failed');
      const { err } = JSON.parse(lines.at(-1) ?? '');
      if (code !== '23502') expect(err.code).toBe(code); // MikroORM itself may have found it
      expect(err.message).not.toBe('');
      expect(err.stack).toMatch(/\n {4}at /);
      expect(JSON.stringify(err)).not.toMatch(/s3cret|93333/);
    }
  });
});
