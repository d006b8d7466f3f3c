import { sql } from 'kysely';
import { describe, expect, inject, it } from 'vitest';
import { SignedLinks } from '../../src/features/check-in/signed-links.js';
import { configOf, isOnManyNodes } from '../support/database.js';
import { holding, untilSomeoneWaits } from '../support/locks.js';
import { SECRET, type TestUser, type WorldOptions, world } from '../support/world.js';

const CREATE = `mutation ($task: ID!, $name: String!, $amount: Float) {
  createCheckInLink(taskId: $task, name: $name, amount: $amount) { url link { id name amount lastUsedAt task { id } } }
}`;

const JSON_ONLY = { accept: 'application/json' };
const PAGE = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const FORM = 'application/x-www-form-urlencoded';
const WATER = 'title: "Water", target: { amount: 8, unit: "glasses" }';

async function linkOf(ana: TestUser, task: number | string, amount?: number) {
  const { createCheckInLink } = await ana.query(CREATE, { task, name: 'Fridge', amount });
  const { pathname: path } = new URL(createCheckInLink.url);
  return { ...createCheckInLink.link, url: createCheckInLink.url, path };
}

/** Somebody with a task, and a link that completes it. */
async function withLink(input = 'title: "Swim"', options?: WorldOptions, amount?: number) {
  const here = await world(options);
  const ana = await here.newUser();
  const { createTask } = await ana.query(`mutation { createTask(input: { ${input} }) { task { id } } }`);
  const task = createTask.task.id;
  const link = await linkOf(ana, task, amount);
  const count = async () =>
    (await ana.query(`{ task(id: ${task}) { completionCount } }`)).task.completionCount;
  const completes = () => ana.completes({ id: Number(task) });
  /** What anybody does with a link, this one or another. */
  const at = (path = link.path) => ({
    path,
    opens: (headers: Record<string, string> = JSON_ONLY) => here.rest.get(path, headers),
    presses: (body?: unknown, headers: Record<string, string> = JSON_ONLY) =>
      here.rest.post(path, body, headers),
    sends: (body: string, type: string) =>
      here.rest.send('POST', path, body, { ...JSON_ONLY, 'content-type': type }),
    undoes: () => here.rest.post(`${path}/undo`, undefined, JSON_ONLY),
  });
  return { ...here, ana, task, link, count, completes, at, ...at() };
}

/** The address that a message has. */
const pathOf = (userId: string, taskId: string | number, day = '2026-11-21', secret = SECRET) =>
  `/check-in/${new SignedLinks(secret).make({ userId, taskId: Number(taskId), day })}`;

describe('A check-in link', () => {
  it('is shown once, as an address below PUBLIC_URL with 32 random characters, and is listed without it', async () => {
    const config = configOf({ PUBLIC_URL: 'https://habits.example.com/steady/' });
    const { ana, task, link, database } = await withLink(undefined, { config });
    const [, secret = ''] =
      /^https:\/\/habits\.example\.com\/steady\/check-in\/(\w{32})$/.exec(link.url) ?? [];
    expect(link).toMatchObject({ name: 'Fridge', amount: null, lastUsedAt: null, task: { id: task } });
    const listed = await ana.query(`{ tasks { nodes { checkInLinks { id name createdAt task { id } } } } }`);
    expect(listed.tasks.nodes[0].checkInLinks).toMatchObject([{ id: link.id, task: { id: task } }]);
    const { rows } = await sql`select * from check_in_links`.execute(database.query());
    expect(rows).not.toEqual([]);
    expect(secret && JSON.stringify(rows)).not.toContain(secret);
  });

  it('completes its task, and tells how it stands', async () => {
    const { presses } = await withLink();
    const { status, body, headers } = await presses();
    expect(status).toBe(200);
    expect(body).toEqual({
      ...{ task: 'Swim', day: '2026-11-21', done: true, amount: 0 },
      ...{ target: null, unit: null, streak: 1, counted: true },
    });
    expect(Object.fromEntries(headers)).toMatchObject({
      ...{ 'cache-control': 'no-store', 'x-robots-tag': 'noindex', 'access-control-allow-origin': '*' },
    });
    expect(headers.get('access-control-allow-credentials')).toBeNull();
  });

  it('counts once within a minute, however many press it at once, unless the keys differ', async () => {
    const { clock, presses, count } = await withLink();
    const counted = async (body?: unknown) => (await presses(body)).body.counted;
    const pressed = await Promise.all(Array.from({ length: 8 }, () => counted()));
    expect(pressed.filter(Boolean)).toHaveLength(1);
    clock.advance({ seconds: 59 });
    expect(await counted()).toBe(false);
    clock.advance({ seconds: 2 });
    expect(await counted()).toBe(true);
    expect([await counted({ key: 'a' }), await counted({ key: 'a' })]).toEqual([true, false]);
    expect(await counted({ key: 'b' })).toBe(true);
    expect(await count()).toBe(4);
  });

  it('counts once a day where it says so, wherever it was done, and takes back nothing that is not its own', async () => {
    const { clock, sends, presses, undoes, completes, count } = await withLink();
    const press = async (body: string) => (await sends(body, FORM)).body;
    await completes();
    expect(await press('once=true')).toMatchObject({ done: true, counted: false });
    expect((await undoes()).body).toMatchObject({ done: true, counted: false });
    clock.advance({ days: 1 });
    expect(await press('once=true&key=a')).toMatchObject({ counted: true });
    clock.advance({ seconds: 61 });
    expect((await presses({ once: true })).body.counted).toBe(false);
    expect((await undoes()).body).toMatchObject({ done: false });
    for (const body of ['once=true&key=b', 'once=false&key=c'])
      expect(await press(body)).toMatchObject({ counted: true });
    expect((await sends('once=yes', FORM)).status).toBe(400);
    expect(await count()).toBe(3);
  });

  it('takes an amount from its own, a form or JSON, and refuses what is none', async () => {
    const { presses, sends, count } = await withLink(WATER, undefined, 2);
    expect((await presses()).body).toMatchObject({ amount: 2, target: 8, unit: 'glasses', done: false });
    expect((await sends('amount=1.5&key=a', FORM)).body).toMatchObject({ amount: 3.5, counted: true });
    expect((await presses({ amount: 4.5, key: 'b' })).body).toMatchObject({ done: true });
    const multipart = '--x\r\nContent-Disposition: form-data; name="key"\r\n\r\nc\r\n--x--\r\n';
    expect((await sends(multipart, 'multipart/form-data; boundary=x')).body).toMatchObject({ amount: 10 });
    for (const [body, type, status] of [
      ['{"amount":-1}', 'application/json', 400],
      ['amount=many', FORM, 400],
      ['{', 'application/json', 400],
      ['[]', 'application/json', 400],
      ['nonsense', 'multipart/form-data', 400],
      ['amount=1', 'text/plain', 415],
      [`key=${'k'.repeat(20_000)}`, FORM, 413],
    ] as const)
      expect((await sends(body, type)).status, body).toBe(status);
    expect(await count()).toBe(4);
  });

  it('takes back what it did last, within ten minutes, and nothing else', async () => {
    const { clock, completes, presses, undoes, count } = await withLink();
    await completes();
    await presses();
    expect(await count()).toBe(2);
    for (const _time of [1, 2]) expect((await undoes()).body).toMatchObject({ done: true });
    expect(await count()).toBe(1);
    await presses();
    clock.advance({ seconds: 601 });
    expect((await undoes()).status).toBe(400);
    expect(await count()).toBe(2);
  });

  it('does nothing when its page is only opened, and says nothing of the user', async () => {
    const { ana, rest, path, opens, presses, at, count } = await withLink();
    const ANY = { accept: '*/*' };
    const { text, headers } = await opens(PAGE);
    for (const part of ['<h1>Swim</h1>', '<input type="hidden" name="once" value="true">'])
      expect(text).toContain(part);
    expect(text).not.toContain(ana.account.name);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect((await opens()).body).toMatchObject({ done: false, counted: false });
    for (const page of [await opens(ANY), await at(`/api${path}`).opens(PAGE)])
      expect(page.text).toMatch(/^<!doctype html>/);
    expect((await at(`/api${path}`).opens(ANY)).body).toMatchObject({ done: false });
    expect((await rest.send('HEAD', path)).status).toBe(200);
    expect(await count()).toBe(0);
    expect((await presses(undefined, PAGE)).text).toContain(`action="${path}/undo"`);
  });

  it.each([
    ['title: "Swim"', 'Not done yet today', 'Done today ✓'],
    [
      'title: "Drink", target: { amount: 2, unit: "cups" }',
      ...['Not done yet today · 0 of 2 cups', '1 of 2 cups ✓', '2 of 2 cups ✓'],
    ],
    [
      'title: "Coffee", target: { amount: 1, unit: "cups", kind: AT_MOST }',
      ...['0 of 1 cups', '1 of 1 cups ✓', '2 of 1 cups ✓'],
    ],
  ])('says what is true before and after a record: %s', async (input, before, ...after) => {
    const { clock, opens, presses } = await withLink(input);
    const record = input.includes('target') ? { amount: 1 } : {};
    const told = (text: string) => [...text.matchAll(/<p[^>]*>(.*?)<\/p>/g)].map(([, line]) => line);
    expect(told((await opens(PAGE)).text)).toContain(before);
    for (const each of after) {
      clock.advance({ seconds: 61 });
      expect(told((await presses(record, PAGE)).text)).toContain(each);
    }
    expect(told((await presses(record, PAGE)).text)).toContain('That was recorded already.');
  });

  it('speaks the language of its user, before that of the device, and writes what users have written as text', async () => {
    const { ana, opens, at } = await withLink('title: "<script>alert(1)</script>"');
    const german = { ...PAGE, 'accept-language': 'de-AT, en;q=0.5' };
    const { text } = await opens(german);
    for (const part of ['Heute noch nicht erledigt', '&#60;script&#62;alert(1)'])
      expect(text).toContain(part);
    await ana.query('mutation { updateProfile(input: { language: PT_BR }) { user { id } } }');
    expect((await opens(german)).text).toContain('lang="pt-BR"');
    expect((await at(`/check-in/${'x'.repeat(32)}`).opens(german)).text).toContain('nicht bekannt');
  });

  it('is unknown once it is revoked, or its task or account is gone; archived it is gone for now', async () => {
    const { ana, task, link, at } = await withLink();
    const statuses = async (path: string) => {
      const { opens, presses, undoes } = at(path);
      const answers = [await opens(), await presses(), await undoes()];
      for (const { body, text } of answers)
        expect([Object.keys(body), text.includes('Ana')]).toEqual([['error'], false]);
      return answers.map(({ status }) => status);
    };
    const [UNKNOWN, GONE] = [Array(3).fill(404), Array(3).fill(410)];
    const change = (field: string, more = '{ deletedId }') => ana.query(`mutation { ${field} ${more} }`);
    await change(`archiveTask(id: ${task})`, '{ task { id } }');
    expect(await statuses(link.path)).toEqual(GONE);
    await change(`unarchiveTask(id: ${task})`, '{ task { id } }');
    await change(`deleteCheckInLink(id: "${link.id}")`);
    expect((await ana.query(`{ task(id: ${task}) { checkInLinks { id } } }`)).task.checkInLinks).toEqual([]);
    expect(await statuses(link.path)).toEqual(UNKNOWN);
    const second = await linkOf(ana, task);
    await change(`deleteTask(id: ${task})`);
    expect(await statuses(second.path)).toEqual(UNKNOWN);
    const { id } = await ana.hasTask();
    const [third, ofMessage] = [await linkOf(ana, id), pathOf(ana.id, id)];
    expect((await at(third.path).opens()).status).toBe(200);
    await change(`deleteMyAccount(password: "${ana.account.password}")`);
    for (const path of [third.path, ofMessage]) expect(await statuses(path)).toEqual(UNKNOWN);
    for (const path of ['x', 'a%20b', encodeURI('é'.repeat(32)), 'constructor'])
      expect((await at(`/check-in/${path}`).opens()).status, path).toBe(404);
  });

  // On several nodes no key of the database leads from a link to its task.
  it.skipIf(isOnManyNodes(inject('template')))(
    'is not made for a task that is gone, or goes meanwhile',
    async () => {
      const { ana, task, database } = await withLink();
      const codeFor = async (gone: string) =>
        (await ana.rest.ask(CREATE, { task: gone, name: 'More' })).errors[0].extensions.code;
      const deletion = sql`delete from tasks where id = ${task} and user_id = ${ana.id}`;
      const release = await holding(database, deletion);
      const goes = codeFor(task);
      await untilSomeoneWaits(database);
      await release();
      for (const code of [goes, codeFor(task), codeFor('x')]) expect(await code).toBe('NOT_FOUND');
    },
  );
});

describe('The link of a message', () => {
  it('completes what is left of one task on one day, and counts once', async () => {
    const { ana, task, clock, at } = await withLink(WATER);
    await ana.query(`mutation { completeTask(taskId: ${task}, amount: 3) { isReplayed } }`);
    const { presses, undoes } = at(pathOf(ana.id, task));
    for (const counted of [true, false]) {
      expect((await presses()).body).toMatchObject({ amount: 8, done: true, counted });
      clock.advance({ hours: 2 });
    }
    expect((await undoes()).status).toBe(400);
  });

  it.each(['title: "Swim"', WATER])(
    'counts nothing where nothing is left, since another device was first, and takes nothing back: %s',
    async (input) => {
      const { ana, task, completes, at, count } = await withLink(input);
      await completes();
      const { presses, undoes } = at(pathOf(ana.id, task));
      expect((await presses()).body).toMatchObject({ done: true, counted: false });
      expect((await undoes()).body).toMatchObject({ done: true });
      expect(await count()).toBe(1);
    },
  );

  it('counts for its day until an hour after that, by the clock of its user', async () => {
    const { ana, task, clock, at } = await withLink();
    const days = 'timeZone: "America/New_York", dayStartsAt: 3';
    await ana.query(`mutation { updateProfile(input: { ${days} }) { user { id } } }`);
    const { presses, undoes } = at(pathOf(ana.id, task));
    clock.set('2026-11-22T08:59:59.999Z'); // 03:59:59 there
    expect((await presses()).body).toMatchObject({ day: '2026-11-21', done: true, counted: true });
    const { completions } = await ana.query('{ completions { nodes { day } } }');
    expect(completions.nodes).toEqual([{ day: '2026-11-21' }]);
    expect((await undoes()).body).toMatchObject({ done: false });
    clock.set('2026-11-22T09:00:00.000Z');
    expect((await presses()).status).toBe(410);
  });

  it('is unknown if one sign of it was changed, or another secret signed it', async () => {
    const { ana, task, at, newUser } = await withLink();
    const good = pathOf(ana.id, task);
    const statusAt = async (path: string) => (await at(path).opens()).status;
    expect(await statusAt(good)).toBe(200);
    for (let place = '/check-in/'.length; place < good.length; place += 7) {
      const changed = `${good.slice(0, place)}${good[place] === 'A' ? 'B' : 'A'}${good.slice(place + 1)}`;
      expect(await statusAt(changed), changed).toBe(404);
    }
    const others = pathOf(ana.id, task, '2026-11-21', 'another secret, of more than 32 characters');
    for (const path of [others, pathOf((await newUser()).id, task)]) expect(await statusAt(path)).toBe(404);
  });
});
