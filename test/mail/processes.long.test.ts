import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { eventually } from '../support/eventually.js';
import { mailCatcher } from '../support/mail.js';
import { startService } from '../support/process.js';
import { withServer } from '../support/with-server.js';
import { type RestClient, SECRET } from '../support/world.js';

const server = withServer();

const MAILS = 200;

/** The mails after whose text the mail server says nothing, until the process that has sent it is killed. */
const KILLED_AT = [40, 120];

it(`${MAILS} mails are all sent, and none twice but those in the middle of which process after process is killed`, async () => {
  const DATABASE_URL = await server.newDatabase();
  const direct = new pg.Client(DATABASE_URL);
  await direct.connect();
  onTestFinished(() => direct.end());
  const taken: string[] = [];
  const names = new Map<string, Set<string | undefined>>();
  const catcher = await mailCatcher({
    onData: async (stream, { envelope }, done) => {
      const [name] = /^Message-ID: .+$/m.exec(await text(stream)) ?? [];
      const address = envelope.rcptTo[0]?.address ?? '';
      taken.push(address);
      names.set(address, (names.get(address) ?? new Set()).add(name));
      if (!KILLED_AT.includes(taken.length)) done();
    },
  });
  const start = () =>
    startService({
      DATABASE_URL,
      JWT_SECRET: SECRET,
      SMTP_URL: `smtp://127.0.0.1:${catcher.port}`,
      MAIL_FROM: 'habits@example.com',
      PUBLIC_URL: 'https://habits.example.com',
      TRUST_PROXY: '1',
    });
  const emails = Array.from({ length: MAILS }, () => `${randomUUID()}@example.com`);
  const signUp = async (rest: RestClient, first: number, last: number) => {
    for (const [index, email] of emails.slice(first, last).entries()) {
      const person = { name: 'Ana', email, password: 'secret1' };
      const from = { 'X-Forwarded-For': `10.${first / 100}.${index}.1` };
      expect((await rest.post('/api/auth/signup', person, from)).status).toBe(201);
    }
  };
  let sender = start();
  await signUp(await sender.listening(), 0, 100);
  for (const count of KILLED_AT) {
    await eventually(() => taken.length === count);
    const other = start();
    const rest = await other.listening();
    if (count === KILLED_AT[0]) await signUp(rest, 100, MAILS); // while another one sends
    expect(taken).toHaveLength(count);
    await sender.stop('SIGKILL');
    await direct.query(
      `update jobs set run_at = now() - interval '1 second' where kind = 'mail' and is_held`,
    ); // as two minutes do
    sender = other;
  }
  const waiting = async () => (await direct.query(`select from jobs where kind = 'mail'`)).rows.length;
  await eventually(async () => (await waiting()) === 0);
  const killed = KILLED_AT.map((count) => taken[count - 1] ?? '');
  expect(taken.toSorted()).toEqual([...emails, ...killed].toSorted());
  for (const known of names.values()) expect(known.size).toBe(1); // a mail program knows the second copy
});
