import { sql } from 'kysely';
import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { tablesToKeep } from '../../src/operation/backup/tables.js';
import { configOf } from '../support/database.js';
import { world, worldOf } from '../support/world.js';
import { CREATE, calendarOf, parsed, read } from './reading.js';

const UNKNOWN = `/calendar/${'x'.repeat(43)}.ics`;

const listed = '{ me { calendars { id name tag section links createdAt lastReadAt } } }';

describe('A calendar', () => {
  it('is made with an address that is shown once, and is listed without it', async () => {
    const { ana, ...here } = await worldOf('ana');
    const { createCalendarFeed: made } = await ana.query(CREATE, {
      input: { name: 'At work', tag: 'office', section: 'Morning', links: true },
    });
    expect(made.url).toMatch(new RegExp(`^${here.base}/calendar/[\\w-]{43}\\.ics$`));
    expect(made.calendar).toEqual({
      ...{ id: expect.any(String), name: 'At work', tag: 'office', section: 'Morning', links: true },
      ...{ createdAt: '2026-11-21T12:00:00.000Z', lastReadAt: null },
    });
    expect(made.user).toEqual({ id: ana.id, calendars: [{ id: made.calendar.id }] });
    expect((await ana.query(listed)).me.calendars).toEqual([made.calendar]);
    const secret = /calendar\/([\w-]+)\.ics/.exec(made.url)?.[1] ?? '';
    const { rows } = await sql`select * from calendar_feeds`.execute(here.database.query());
    expect(JSON.stringify(rows)).not.toContain(secret);
  });

  it('has the address of the request, or that which a trusted proxy was asked for', async () => {
    for (const [set, told] of [
      [{}, undefined],
      [{ TRUST_PROXY: '1' }, 'https://habits.example'],
    ] as const) {
      const { base, newUser } = await world({ config: configOf(set) });
      const headers = { 'X-Forwarded-Host': 'habits.example', 'X-Forwarded-Proto': 'https' };
      const query = 'mutation { createCalendarFeed(input: { name: "Habits" }) { url } }';
      const { body } = await (await newUser()).rest.post('/graphql', { query }, headers);
      expect(body.data.createCalendarFeed.url).toMatch(new RegExp(`^${told ?? base}/calendar/`));
    }
  });

  it('is one of at most ten, however many are made at once', async () => {
    const { ana } = await worldOf('ana');
    const input = { name: 'Habits' };
    const answers = await Promise.all(Array.from({ length: 12 }, () => ana.rest.ask(CREATE, { input })));
    const full = { message: 'You can have at most 10 calendars', extensions: { reason: 'LIMIT_REACHED' } };
    expect(answers.filter(({ errors }) => errors)).toMatchObject(Array(2).fill({ errors: [full] }));
    expect((await ana.query(listed)).me.calendars).toHaveLength(10);
  });

  it('is refused with a name, tag or section that is none', async () => {
    const { ana } = await worldOf('ana');
    for (const wrong of [{ name: ' ' }, { tag: 'a'.repeat(31) }, { section: '' }]) {
      const { errors } = await ana.rest.ask(CREATE, { input: { name: 'Habits', ...wrong } });
      expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    }
  });

  it('is deleted, and its address is then as unknown as one that never was', async () => {
    const { ana, ...here } = await worldOf('ana');
    const { id, path } = await calendarOf(ana);
    await read(here, path);
    const deletion = `mutation { deleteCalendarFeed(id: "${id}") { deletedId user { calendars { id } } } }`;
    const { deleteCalendarFeed } = await ana.query(deletion);
    expect(deleteCalendarFeed).toEqual({ deletedId: id, user: { calendars: [] } });
    const [gone, unknown] = [await here.rest.get(path), await here.rest.get(UNKNOWN)];
    expect(gone).toMatchObject({ status: 404, body: { error: 'Calendar not found' } });
    expect(gone.body).toEqual(unknown.body);
  });

  it('is in backups, in no export, and left when its owner signs out everywhere', async () => {
    const { ana, ...here } = await worldOf('ana');
    const name = 'Seen nowhere else';
    const { path } = await calendarOf(ana, { name });
    expect((await ana.rest.get('/account/export')).text).not.toContain(name);
    expect(tablesToKeep(here.database.orm)).toContain('calendar_feeds');
    await ana.query('mutation { signOutEverywhere { token } }');
    await read(here, path);
  });
});

describe('The address of a calendar', () => {
  it('answers text/calendar that only its reader keeps, and asks for the next visit in an hour', async () => {
    const { ana, ...here } = await worldOf('ana');
    const { path } = await calendarOf(ana, { name: 'Ana; mine, \\ yes' });
    const { headers, text } = await read(here, path);
    expect(headers.get('content-type')).toBe('text/calendar; charset=utf-8');
    expect(headers.get('cache-control')).toBe('private');
    expect(headers.get('x-robots-tag')).toBe('noindex');
    expect(headers.get('access-control-allow-origin')).toBeNull();
    const { calendar } = parsed(text);
    const names = ['version', 'method', 'prodid', 'x-wr-calname', 'refresh-interval', 'x-published-ttl'];
    expect(names.map((name) => calendar.getFirstPropertyValue(name)?.toString())).toEqual([
      ...['2.0', 'PUBLISH', '-//Steady//Steady//EN', 'Ana; mine, \\ yes', 'PT1H', 'PT1H'],
    ]);
  });

  it('answers HEAD as GET, without the text', async () => {
    const { ana, ...here } = await worldOf('ana');
    const { path } = await calendarOf(ana);
    const got = await read(here, path);
    const head = await here.rest.send('HEAD', path);
    expect(head).toMatchObject({ status: 200, text: '' });
    for (const name of ['content-type', 'content-length', 'etag', 'cache-control'])
      expect(head.headers.get(name), name).toBe(got.headers.get(name));
  });

  it('is unknown in other letters, with anything before or behind it, or in its place', async () => {
    const { ana, ...here } = await worldOf('ana');
    const { path } = await calendarOf(ana);
    await read(here, `${path}?refresh=1`);
    const secret = path.slice('/calendar/'.length, -'.ics'.length);
    const swapped = secret.replace(/[a-z]/i, (letter: string) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    );
    const others = ['', '%', '%00', '%E0%A4%A', '..%2f..', "';--", '*', '__proto__', '.ics', 'x?'];
    for (const other of [
      ...[swapped, secret.slice(1), `${secret}=`, ...others].map((each) => `/calendar/${each}.ics`),
      ...[path.slice(0, -4), `${path}/`, `/Calendar/${secret}.ics`],
    ]) {
      const { status, headers } = await here.rest.get(other);
      expect(status, other).toBe(404);
      expect(headers.get('cache-control') ?? 'no-store').toBe('no-store');
    }
  });

  it('is in no line of the log, which names the user', async () => {
    const kept: string[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => void kept.push(line) });
    const here = await world({ log, config: configOf({ LOG_REQUESTS: 'all' }) });
    const ana = await here.newUser();
    const { path } = await calendarOf(ana);
    await read(here, path);
    const { headers } = await read(here, `${path}?again`);
    await here.rest.get(path, { 'if-none-match': headers.get('etag') ?? '' });
    await here.rest.send('HEAD', path);
    await here.rest.post(path);
    const secret = path.slice('/calendar/'.length, -'.ics'.length);
    const lines = kept
      .map((line) => JSON.parse(line))
      .filter(({ route }) => route === '/calendar/{secret}.ics');
    expect(lines.map(({ status }) => status)).toEqual([200, 200, 304, 200, 405]);
    expect(lines.slice(0, 4).map(({ user }) => user)).toEqual(Array(4).fill(ana.id));
    expect(kept.join('')).not.toContain(secret);
  });

  it('says when it was last read, to a minute', async () => {
    const { ana, ...here } = await worldOf('ana');
    const { path } = await calendarOf(ana);
    const lastReadAt = async () => (await ana.query(listed)).me.calendars[0].lastReadAt;
    await read(here, path);
    expect(await lastReadAt()).toBe('2026-11-21T12:00:00.000Z');
    here.clock.advance({ seconds: 59 });
    await read(here, path);
    expect(await lastReadAt()).toBe('2026-11-21T12:00:00.000Z');
    here.clock.advance({ seconds: 1 });
    await here.rest.send('HEAD', path);
    expect(await lastReadAt()).toBe('2026-11-21T12:01:00.000Z');
  });
});
