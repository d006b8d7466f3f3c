import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { sql } from 'kysely';
import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { announceToAll } from '../../src/database/announcements/announcements.js';
import { MAIL } from '../../src/features/mail/mail.js';
import { mailTexts } from '../../src/features/mail/texts/index.js';
import { topicOf } from '../../src/jobs/jobs.queries.js';
import { Metrics } from '../../src/telemetry/metrics.js';
import { ownDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import {
  configWithMail,
  DOCUMENTS,
  type MailCatcher,
  mailCatcher,
  mailsWaiting,
  PUBLIC_URL,
} from '../support/mail.js';
import { world } from '../support/world.js';

const logTo = (lines: string[]) =>
  pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });

/** A service with a database of its own, that mails to a catcher. */
async function mailing(given?: MailCatcher, environment?: Record<string, string>) {
  const catcher = given ?? (await mailCatcher());
  const lines: string[] = [];
  const metrics = new Metrics();
  const database = await ownDatabase();
  const config = configWithMail(catcher, environment);
  const here = await world({ database, config, log: logTo(lines), metrics });
  const waiting = () => mailsWaiting(database);
  /** Whether the one mail that waits is not under way any more. */
  const isPutBack = async () => {
    const query = sql`select from jobs where kind = 'mail' and not is_held`;
    return (await query.execute(database.query())).rows.length === 1 && (await waiting()) === 1;
  };
  /** All who send look at once, and not when it is their time. */
  const wake = () =>
    sql`select ${announceToAll(topicOf(MAIL), sql`null`, sql`null`)}`.execute(database.query());
  const signUp = (email: string, more: Record<string, string> = {}) => {
    const headers = { 'X-Forwarded-For': `10.${networks++ % 250}.7.7`, ...more };
    return here.rest.post('/api/auth/signup', { name: 'Ana', email, password: 'secret1' }, headers);
  };
  /** Once a line says so. */
  const says = (words: string) => eventually(() => lines.some((line) => line.includes(words)));
  const areGone = () => eventually(async () => (await waiting()) === 0);
  const forgets = (email: string, headers?: Record<string, string>) =>
    here.rest.post('/graphql', { query: DOCUMENTS.requestPasswordReset, variables: { email } }, headers);
  const told = { lines, metrics, says };
  return { ...here, ...told, catcher, config, waiting, areGone, isPutBack, wake, signUp, forgets };
}

/** Mails are limited by network. */
let networks = 0;

const emailOf = () => `ana-${randomUUID()}@example.com`;

/** Takes the text of each mail, and does this instead of saying so. */
const silent = (taken: string[], instead: () => unknown) => ({
  onData: (stream: NodeJS.ReadableStream) =>
    void text(stream).then((raw) => {
      taken.push(raw);
      instead();
    }),
});

describe('A mail', () => {
  it('is plain text with a short twin in HTML, from the service, and loads nothing', async () => {
    const { catcher, newUser } = await mailing();
    const { email } = (await newUser({ name: 'Buy it at https://spam.example' })).account;
    const [mail] = await catcher.mailsTo(email);
    const { confirm, sender } = mailTexts.EN;
    expect(mail).toMatchObject({ from: 'habits@example.com', to: [email], subject: confirm.subject });
    const [, secret] = /#confirm=([\w-]{43})\n/.exec(mail?.text ?? '') ?? [];
    const link = `${PUBLIC_URL}/#confirm=${secret}`;
    expect(`${mail?.text}\n`).toBe(
      `Hello,\n\n${confirm.news}\n\n${link}\n\n${confirm.advice}\n\n-- \n${sender} ${PUBLIC_URL}\n`,
    );
    expect(mail?.html).toContain(`<a href="${link}">${confirm.button}</a>`);
    expect(mail?.html).not.toMatch(/src=|<link|<style|url\(/);
    expect(mail?.raw).not.toContain('spam.example'); // what strangers write is mailed to nobody
    expect(mail?.raw).toMatch(/^From: Steady <habits@example\.com>\r$/m);
    expect(mail?.raw).toMatch(/^Auto-Submitted: auto-generated\r$/m);
  });

  it('speaks the language of its reader, and that of the request to whoever has chosen none', async () => {
    const { catcher, newUser, signUp, forgets } = await mailing();
    const [email, ana] = [emailOf(), await newUser()];
    await signUp(email, { 'Accept-Language': 'es-MX, en;q=0.5' });
    await forgets(email, { 'Accept-Language': 'it, de;q=0.8' });
    await ana.query('mutation { updateProfile(input: { language: PT_BR }) { user { id } } }');
    await catcher.mailsTo(ana.account.email);
    await forgets(ana.account.email);
    const { ES, DE, PT_BR } = mailTexts;
    const subjects = (await catcher.mailsTo(email, 2)).map(({ subject }) => subject);
    expect(new Set(subjects)).toEqual(new Set([ES.confirm.subject, DE.reset.subject]));
    const [, mail] = await catcher.mailsTo(ana.account.email, 2);
    const { reset, hello } = PT_BR;
    expect(mail?.subject).toBe(reset.subject);
    for (const words of [hello, reset.news, reset.advice]) expect(mail?.text).toContain(words);
    expect(mail?.html).toContain('lang="pt-BR"');
  });

  it('goes to the one address that was written, whatever is in it, once by two processes, and never of what did not happen', async () => {
    const { catcher, database, config, signUp, areGone } = await mailing();
    await world({ database, config });
    const emails = ['a,b', '"a"', 'ü', ...'abcdefgh'].map((name) => `${name}-${randomUUID()}@example.com`);
    await Promise.all(emails.map((email) => signUp(email)));
    await signUp(`${emails.at(-1)?.toUpperCase()}`); // refused: the address is taken
    await areGone();
    expect(catcher.caught.map(({ to }) => to.join()).sort()).toEqual(emails.sort());
  });
});

describe('A mail server', () => {
  it('that is away keeps nobody waiting, is told of in one line and by metrics, and gets the mails later, from one of two processes', async () => {
    const { catcher, newUser, database, config, lines, metrics, says, waiting, areGone, wake } =
      await mailing();
    await catcher.stop();
    const others: string[] = [];
    await world({ database, config, log: logTo(others) });
    const emails = [emailOf(), emailOf()];
    for (const email of emails) await newUser({ email });
    const othersSay = (words: string) =>
      eventually(async () => {
        await wake(); // each in turn finds it, or not
        return lines.join('').includes(words) && others.join('').includes(words);
      });
    await says('mail server cannot be used');
    expect(await waiting()).toBe(2);
    await othersSay('The mail server cannot be used');
    await eventually(async () => /steady_mail_server_away 1/.test(await metrics.text()));
    await catcher.start();
    await areGone();
    await othersSay('The mail server can be used again');
    expect(catcher.caught.map(({ to }) => to.join()).sort()).toEqual(emails.sort());
    expect(lines.filter((line) => line.includes('mail server can'))).toHaveLength(2); // away, and back
    for (const email of emails) expect(lines.join('')).not.toContain(email);
    expect(await metrics.text()).toMatch(/steady_mail_server_away 0/);
  });

  it('that closes the connection at many of them holds up no other', async () => {
    const catcher = await mailCatcher({
      onRcptTo: ({ address }, _session, done) => (address.startsWith('bad') ? catcher.cut() : done()),
    });
    const { signUp, waiting } = await mailing(catcher);
    const bad = Array.from({ length: 8 }, () => `bad-${emailOf()}`);
    const good = emailOf();
    for (const email of [...bad, good]) await signUp(email);
    expect(await catcher.mailsTo(good)).toHaveLength(1);
    await eventually(async () => (await waiting()) === bad.length); // they are tried again
  });

  it('that refuses is asked again after a while, and the others do not wait for that', async () => {
    let isRefusing = true;
    const [email, other] = [emailOf(), emailOf()];
    const catcher = await mailCatcher({
      onRcptTo: ({ address }, _session, done) =>
        done(isRefusing && address === email ? new Error(`No such user: ${email}`) : null),
    });
    const { newUser, clock, lines, metrics, says, wake } = await mailing(catcher);
    await newUser({ email });
    await says('A mail was refused');
    await newUser({ email: other });
    await catcher.mailsTo(other);
    expect(lines.join('')).not.toContain(email);
    expect(lines.join('')).toContain('"code":550');
    expect(await metrics.text()).toMatch(/steady_mails_total\{outcome="refused"\} 1/);
    expect(await metrics.text()).toMatch(/steady_mails_total\{outcome="accepted"\} 1/);
    isRefusing = false;
    clock.advance({ seconds: 5 });
    await wake();
    expect(await catcher.mailsTo(email)).toHaveLength(1);
  });

  it('that accepts and dies is never given the same mail again', async () => {
    const taken: string[] = [];
    const catcher = await mailCatcher({
      onData: (stream, { envelope }, done) => {
        stream.resume().on('end', () => {
          taken.push(envelope.rcptTo[0]?.address ?? '');
          done();
          void catcher.stop();
        });
      },
    });
    const { newUser, waiting } = await mailing(catcher);
    const { email } = (await newUser()).account;
    await eventually(async () => taken.length > 0 && (await waiting()) === 0);
    expect(taken).toEqual([email]);
    await catcher.start();
    const other = (await newUser()).account.email;
    await catcher.mailsTo(other);
    expect(catcher.caught.map(({ to }) => to)).toEqual([[other]]);
  });

  it('that never says what becomes of a mail is given it three times in all, by one name, and a line says so', async () => {
    const taken: string[] = [];
    const catcher = await mailCatcher(silent(taken, () => catcher.cut()));
    const { newUser, clock, areGone, isPutBack, lines, metrics, wake } = await mailing(catcher);
    await newUser();
    for (const count of [1, 2]) {
      await eventually(async () => taken.length === count && (await isPutBack()));
      clock.advance({ seconds: 20 });
      await wake();
    }
    await areGone();
    expect(taken).toHaveLength(3);
    expect(new Set(taken.flatMap((raw) => raw.match(/^Message-ID: <.+>\r$/gm))).size).toBe(1);
    expect(lines.join('')).toContain('The mail server took a mail and did not say so: it is sent again');
    expect(lines.join('')).toContain('took a mail 3 times and did not say so: it is given up');
    expect(await metrics.text()).toMatch(/steady_mails_total\{outcome="unknown"\} 2/);
    expect(await metrics.text()).toMatch(/steady_mails_total\{outcome="given_up"\} 1/);
  });

  it('that dies so is not sent again what its first copy was good for already', async () => {
    const lost: string[] = [];
    const { catcher, newUser, clock, rest, areGone, isPutBack, wake, forgets } = await mailing();
    const { email } = (await newUser()).account;
    await catcher.mailsTo(email);
    await catcher.stop();
    await catcher.start(silent(lost, () => void catcher.kill()));
    await forgets(email);
    await eventually(async () => lost.length === 1 && (await isPutBack()));
    const [, token] = /#\w+=3?D?([\w-]{43})/.exec(`${lost[0]?.replaceAll('=\r\n', '')}`) ?? [];
    const { data } = await rest.ask(DOCUMENTS.resetPassword, { token, newPassword: 'secret2' });
    expect(data.resetPassword.email).toBe(email);
    await catcher.start();
    clock.advance({ seconds: 5 });
    await wake();
    await areGone();
    const [, second] = await catcher.mailsTo(email, 2);
    expect(second?.subject).toBe(mailTexts.EN.passwordChanged.subject);
    expect(catcher.caught).toHaveLength(2);
  });

  it.each([
    ['', 0],
    ['?tls=require', 0],
    ['?tls=insecure', 1],
    ['?tls=off', 1],
  ])('that cannot prove who it is gets nothing but where that is wanted: %j', async (tls, count) => {
    const catcher = await mailCatcher({ disabledCommands: ['AUTH'] }); // its certificate is signed by itself
    const SMTP_URL = `smtp://127.0.0.1:${catcher.port}${tls}`;
    const { newUser, says, areGone } = await mailing(catcher, { SMTP_URL });
    await newUser();
    await (count === 0 ? says('cannot be used') : areGone());
    expect(catcher.caught).toHaveLength(count);
  });

  it('is given a name and a password, which no line tells', async () => {
    const given: unknown[] = [];
    const catcher = await mailCatcher({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, done) => {
        given.push([username, password]);
        done(null, given.length > 1 ? { user: username } : undefined);
      },
    });
    const SMTP_URL = `smtp://an%40a:s%3Acret-1@127.0.0.1:${catcher.port}`;
    const { newUser, lines } = await mailing(catcher, { SMTP_URL });
    await catcher.mailsTo((await newUser()).account.email);
    expect(given[0]).toEqual(['an@a', 's:cret-1']);
    expect(lines.join('')).toContain('"reason":"EAUTH 535"');
    expect(lines.join('')).not.toContain('cret-1');
  });
});

describe('Mails that wait', () => {
  it('are given up after a day, with a line', async () => {
    const { catcher, newUser, clock, says, waiting, wake } = await mailing();
    await catcher.stop();
    await newUser();
    await says('cannot be used');
    clock.advance({ days: 1 });
    await wake();
    await says('Mails could not be sent for a day, and are given up');
    expect(await waiting()).toBe(0);
  });

  it('and were handed over by a process that died before it heard the answer are sent again', async () => {
    const { catcher, newUser, areGone, clock, database, wake, lines } = await mailing();
    const { id, email } = (await newUser()).account;
    await areGone();
    await sql`
      insert into jobs (id, kind, key, user_id, lane, payload, created_at, run_at, attempts, is_held)
      select gen_random_uuid(), 'mail', 'one', ${id}::uuid, 'smtp', jsonb_build_object('kind', 'PASSWORD_CHANGED',
        'address', ${email}::text, 'linkId', null, 'language', 'EN', 'copies', 1), at, at, 1, true
      from (select ${clock.now()}::timestamptz as at) now`.execute(database.query());
    await wake();
    const [, again] = await catcher.mailsTo(email, 2);
    expect(again?.subject).toBe(mailTexts.EN.passwordChanged.subject);
    await areGone();
    expect(lines.join('')).toContain('The mail server took a mail and did not say so');
  });
});

it('Without SMTP_URL no mail is written down', async () => {
  const { newUser, database } = await world({ database: await ownDatabase() });
  await newUser();
  expect(await mailsWaiting(database)).toBe(0);
});
