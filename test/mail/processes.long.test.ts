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

it(`${MAILS} mails are sent once each, though process after process is killed in the middle of one`, async () => {
  const DATABASE_URL = await server.newDatabase();
  const direct = new pg.Client(DATABASE_URL);
  await direct.connect();
  onTestFinished(() => direct.end());
  const taken: string[] = [];
  const catcher = await mailCatcher({
    onData: async (stream, { envelope }, done) => {
      await text(stream);
      taken.push(envelope.rcptTo[0]?.address ?? '');
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
    await direct.query(`update mails set taken_until = now() - interval '1 second'`); // as two minutes do
    sender = other;
  }
  const waiting = async () => (await direct.query('select from mails')).rows.length;
  await eventually(async () => (await waiting()) === 0);
  expect(taken.toSorted()).toEqual(emails.toSorted());
});
