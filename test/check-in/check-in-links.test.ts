import { sql } from 'kysely';
import { describe, expect, inject, it } from 'vitest';
import { SignedLinks } from '../../src/features/check-in/signed-links.js';
import { configOf, isOnManyNodes } from '../support/database.js';
import { holding, untilSomeoneWaits } from '../support/locks.js';
import { SECRET, type TestUser, type World, world } from '../support/world.js';

const CREATE = `mutation ($task: ID!, $name: String!, $amount: Float) {
  createCheckInLink(taskId: $task, name: $name, amount: $amount) { url link { id name amount lastUsedAt task { id } } }
}`;

const JSON_ONLY = { accept: 'application/json' };
const PAGE = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

async function linkOf(ana: TestUser, task: number | string, amount?: number) {
  const { createCheckInLink } = await ana.query(CREATE, { task, name: 'Fridge', amount });
  return { ...createCheckInLink.link, path: new URL(createCheckInLink.url).pathname };
}

async function withLink(here: World, input = 'title: "Swim"') {
  const ana = await here.newUser();
  const { createTask } = await ana.query(`mutation { createTask(input: { ${input} }) { task { id } } }`);
  const task = createTask.task.id;
  return { ana, task, link: await linkOf(ana, task) };
}

/** The address that a message has. */
const pathOf = (userId: string, taskId: string | number, day: string, secret = SECRET) =>
  `/check-in/${new SignedLinks(secret).make({ userId, taskId: Number(taskId), day })}`;

const countOf = async (ana: TestUser, id: string) =>
  (await ana.query('query ($id: ID!) { task(id: $id) { completionCount } }', { id })).task.completionCount;

describe('A check-in link', () => {
  it('is shown once, as an address with 32 random characters, and is listed without it', async () => {
    const here = await world();
    const { ana, task, link } = await withLink(here);
    expect(link.path).toMatch(/^\/check-in\/[0-9A-Za-z]{32}$/);
    expect(link).toMatchObject({ name: 'Fridge', amount: null, lastUsedAt: null, task: { id: task } });
    const listed = await ana.query(`{ tasks { nodes { checkInLinks { id name createdAt task { id } } } } }`);
    expect(listed.tasks.nodes[0].checkInLinks).toMatchObject([{ id: link.id, task: { id: task } }]);
    const rows = await here.database
      .query<Record<string, never>>()
      .selectFrom('check_in_links' as never)
      .selectAll()
      .execute();
    expect(JSON.stringify(rows)).not.toContain(link.path.slice('/check-in/'.length));
  });

  it('begins with PUBLIC_URL where there is one, and else with the address that was asked', async () => {
    const here = await world({ config: configOf({ PUBLIC_URL: 'https://habits.example.com/steady/' }) });
    const ana = await here.newUser();
    const { id } = await ana.hasTask();
    const { createCheckInLink } = await ana.query(CREATE, { task: id, name: 'Fridge' });
    expect(createCheckInLink.url).toMatch(/^https:\/\/habits\.example\.com\/steady\/check-in\/\w{32}$/);
    const other = await world();
    const ben = await other.newUser();
    const made = await ben.query(CREATE, { task: (await ben.hasTask()).id, name: 'Fridge' });
    expect(made.createCheckInLink.url.startsWith(`${other.base}/check-in/`)).toBe(true);
  });

  it('completes its task, and tells how it stands', async () => {
    const here = await world();
    const { link } = await withLink(here);
    const { status, body, headers } = await here.rest.post(link.path, undefined, JSON_ONLY);
    expect(status).toBe(200);
    expect(body).toEqual({
      ...{ task: 'Swim', day: '2026-11-21', done: true, amount: 0 },
      ...{ target: null, unit: null, streak: 1, counted: true },
    });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-robots-tag')).toBe('noindex');
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-allow-credentials')).toBeNull();
  });

  it('counts once within a minute, unless the keys differ', async () => {
    const here = await world();
    const { ana, task, link } = await withLink(here);
    const press = async (body?: unknown) => (await here.rest.post(link.path, body, JSON_ONLY)).body.counted;
    expect([await press(), await press(), await press()]).toEqual([true, false, false]);
    here.clock.advance({ seconds: 59 });
    expect(await press()).toBe(false);
    here.clock.advance({ seconds: 2 });
    expect(await press()).toBe(true);
    expect([await press({ key: 'a' }), await press({ key: 'a' }), await press({ key: 'b' })]).toEqual([
      true,
      false,
      true,
    ]);
    expect(await countOf(ana, task)).toBe(4);
  });

  it('counts once, however many press it at once', async () => {
    const here = await world();
    const { ana, task, link } = await withLink(here);
    const pressed = await Promise.all(
      Array.from({ length: 8 }, () => here.rest.post(link.path, undefined, JSON_ONLY)),
    );
    expect(pressed.filter(({ body }) => body.counted)).toHaveLength(1);
    expect(await countOf(ana, task)).toBe(1);
  });

  it('counts once a day where it says so, wherever it was done, and takes back nothing that is not its own', async () => {
    const here = await world();
    const { ana, task, link } = await withLink(here);
    const form = { ...JSON_ONLY, 'content-type': 'application/x-www-form-urlencoded' };
    const press = async (body: string) => (await here.rest.send('POST', link.path, body, form)).body;
    const undo = () => here.rest.post(`${link.path}/undo`, undefined, JSON_ONLY);
    await ana.completes({ id: Number(task) });
    expect(await press('once=true')).toMatchObject({ done: true, counted: false });
    expect((await undo()).body).toMatchObject({ done: true, counted: false });
    expect(await countOf(ana, task)).toBe(1);
    here.clock.advance({ days: 1 });
    expect(await press('once=true&key=a')).toMatchObject({ counted: true });
    here.clock.advance({ seconds: 61 });
    expect((await here.rest.post(link.path, { once: true }, JSON_ONLY)).body.counted).toBe(false);
    expect((await undo()).body).toMatchObject({ done: false });
    expect(await press('once=true&key=b')).toMatchObject({ counted: true });
    expect(await press('once=false&key=c')).toMatchObject({ counted: true });
    expect((await here.rest.send('POST', link.path, 'once=yes', form)).status).toBe(400);
    expect(await countOf(ana, task)).toBe(3);
  });

  it('has a page whose button counts a habit without a target once a day', async () => {
    const here = await world();
    const { ana, task, link } = await withLink(here);
    const once = '<input type="hidden" name="once" value="true">';
    expect((await here.rest.get(link.path, PAGE)).text).toContain(once);
    await ana.completes({ id: Number(task) });
    const form = { ...PAGE, 'content-type': 'application/x-www-form-urlencoded' };
    const { text } = await here.rest.send('POST', link.path, 'once=true', form);
    expect(text).toContain('That was recorded already.');
    expect(text).not.toContain('<button'); // there is nothing that the link could take back
    expect(await countOf(ana, task)).toBe(1);
    const { link: another } = await withLink(here, 'title: "Water", target: { amount: 8, unit: "cups" }');
    expect((await here.rest.get(another.path, PAGE)).text).not.toContain(once);
  });

  it('takes an amount from its own, a form or JSON, and refuses what is none', async () => {
    const here = await world();
    const { ana, task } = await withLink(here, 'title: "Water", target: { amount: 8, unit: "glasses" }');
    const link = await linkOf(ana, task, 2);
    const send = (body?: string, type?: string) =>
      here.rest.send('POST', link.path, body, { ...JSON_ONLY, ...(type && { 'content-type': type }) });
    expect((await send()).body).toMatchObject({ amount: 2, target: 8, unit: 'glasses', done: false });
    const form = 'application/x-www-form-urlencoded';
    expect((await send('amount=1.5&key=a', form)).body).toMatchObject({ amount: 3.5, counted: true });
    expect((await send('{"amount":4.5,"key":"b"}', 'application/json')).body).toMatchObject({ done: true });
    const multipart = '--x\r\nContent-Disposition: form-data; name="key"\r\n\r\nc\r\n--x--\r\n';
    expect((await send(multipart, 'multipart/form-data; boundary=x')).body).toMatchObject({ amount: 10 });
    for (const [body, type] of [
      ['{"amount":-1}', 'application/json'],
      ['amount=many', form],
      ['{', 'application/json'],
      ['[]', 'application/json'],
      ['nonsense', 'multipart/form-data'],
    ])
      expect((await send(body, type)).status, body).toBe(400);
    expect((await send('amount=1', 'text/plain')).status).toBe(415);
    expect((await send(`key=${'k'.repeat(20_000)}`, form)).status).toBe(413);
    expect(await countOf(ana, task)).toBe(4);
  });

  it('takes back what it did last, within ten minutes, and nothing else', async () => {
    const here = await world();
    const { ana, task, link } = await withLink(here);
    const undo = () => here.rest.post(`${link.path}/undo`, undefined, JSON_ONLY);
    await ana.completes({ id: Number(task) });
    expect((await undo()).body).toMatchObject({ done: true, counted: false });
    expect(await countOf(ana, task)).toBe(1);
    await here.rest.post(link.path, undefined, JSON_ONLY);
    expect(await countOf(ana, task)).toBe(2);
    expect((await undo()).status).toBe(200);
    expect((await undo()).body).toMatchObject({ done: true, counted: false });
    expect(await countOf(ana, task)).toBe(1);
    await here.rest.post(link.path, undefined, JSON_ONLY);
    here.clock.advance({ seconds: 601 });
    expect((await undo()).status).toBe(400);
    expect(await countOf(ana, task)).toBe(2);
  });

  it('does nothing when its page is only opened, and says nothing of the user', async () => {
    const here = await world();
    const { ana, task, link } = await withLink(here);
    const { status, text, headers } = await here.rest.get(link.path, PAGE);
    expect(status).toBe(200);
    expect(text).toContain('<h1>Swim</h1>');
    expect(text).toContain('Not done yet today');
    expect(text).not.toContain(ana.account.name);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect((await here.rest.get(link.path, JSON_ONLY)).body).toMatchObject({ done: false, counted: false });
    const ANY = { accept: '*/*' };
    expect((await here.rest.get(link.path, ANY)).text).toMatch(/^<!doctype html>/);
    expect((await here.rest.get(`/api${link.path}`, ANY)).body).toMatchObject({ done: false });
    expect((await here.rest.get(`/api${link.path}`, PAGE)).text).toMatch(/^<!doctype html>/);
    expect((await here.rest.send('HEAD', link.path)).status).toBe(200);
    expect(await countOf(ana, task)).toBe(0);
    const done = await here.rest.post(link.path, undefined, PAGE);
    expect(done.text).toContain('Done today ✓');
    expect(done.text).toContain(`action="${link.path}/undo"`);
  });

  it.each([
    ['title: "Swim"', ['Not done yet today'], ['', 'Done today ✓']],
    [
      'title: "Drink", target: { amount: 2, unit: "cups" }',
      ['Not done yet today · 0 of 2 cups'],
      ['', '1 of 2 cups ✓'],
      ['', '2 of 2 cups ✓'],
    ],
    [
      'title: "Spanish", target: { amount: 150, unit: "minutes", per: WEEK }',
      ['Not done yet today · 0 of 150 minutes'],
      ['', '1 of 150 minutes ✓'],
    ],
    [
      'title: "Coffee", target: { amount: 1, unit: "cups", kind: AT_MOST }',
      ['0 of 1 cups'],
      ['', '1 of 1 cups ✓'],
      ['', '2 of 1 cups ✓'],
    ],
  ])('says what is true before and after a record: %s', async (input, before, ...after) => {
    const here = await world();
    const { link } = await withLink(here, input);
    const record = input.includes('target') ? { amount: 1 } : {};
    const lines = (text: string) =>
      [...text.matchAll(/<p[^>]*>(.*?)<\/p>/g)].map(([, line]) => line).join('|');
    expect(lines((await here.rest.get(link.path, PAGE)).text)).toBe(`${before[0]}|`);
    for (const each of after) {
      here.clock.advance({ seconds: 61 });
      expect(lines((await here.rest.post(link.path, record, PAGE)).text)).toBe([each].flat().join('|'));
    }
    const again = lines((await here.rest.post(link.path, record, PAGE)).text);
    expect(again).toContain('That was recorded already.');
  });

  it('looks as the habit does in the list: its ring, its icon until that is full, its colour', async () => {
    const here = await world();
    const { link } = await withLink(
      here,
      'title: "Drink", icon: "💧", colour: BLUE, target: { amount: 8, unit: "cups" }',
    );
    const page = async (amount?: number) => {
      here.clock.advance({ seconds: 61 });
      return (await (amount ? here.rest.post(link.path, { amount }, PAGE) : here.rest.get(link.path, PAGE)))
        .text;
    };
    expect(await page()).toMatch(/<main class="colour-blue" .*<span>💧<\/span>/s);
    const begun = await page(1);
    expect(begun).toContain('stroke-dasharray="0.125 1"');
    expect(begun).toMatch(/<button class="quiet">Undo<\/button>/);
    const full = await page(7);
    expect(full).toContain('stroke-dasharray="1.000 1"');
    expect(full).toContain('<path d="m7');
    expect(full).not.toContain('💧');
  });

  it('speaks the language of its user, and before that of the device', async () => {
    const here = await world();
    const { ana, link } = await withLink(here);
    const german = { ...PAGE, 'accept-language': 'de-AT, en;q=0.5' };
    expect((await here.rest.get(link.path, german)).text).toContain('Heute noch nicht erledigt');
    await ana.query('mutation { updateProfile(input: { language: PT_BR }) { user { id } } }');
    expect((await here.rest.get(link.path, german)).text).toContain('lang="pt-BR"');
    expect((await here.rest.get(`/check-in/${'x'.repeat(32)}`, german)).text).toContain('nicht bekannt');
  });

  it('writes what a user has written as text', async () => {
    const here = await world();
    const { link } = await withLink(here, 'title: "<script>alert(1)</script>"');
    expect((await here.rest.get(link.path, PAGE)).text).toContain('&#60;script&#62;alert(1)');
  });

  it('is unknown once it is revoked, or its task or account is gone; archived it is gone for now', async () => {
    const here = await world();
    const { ana, task, link } = await withLink(here);
    const statuses = async (path: string) => {
      const answers = [
        await here.rest.get(path, JSON_ONLY),
        await here.rest.post(path, undefined, JSON_ONLY),
        await here.rest.post(`${path}/undo`, undefined, JSON_ONLY),
      ];
      for (const { body, text } of answers)
        expect([Object.keys(body), text.includes('Ana')]).toEqual([['error'], false]);
      return answers.map(({ status }) => status);
    };
    await ana.query('mutation ($task: ID!) { archiveTask(id: $task) { task { id } } }', { task });
    expect(await statuses(link.path)).toEqual([410, 410, 410]);
    expect((await here.rest.get(link.path, PAGE)).status).toBe(410);
    await ana.query('mutation ($task: ID!) { unarchiveTask(id: $task) { task { id } } }', { task });
    const { deleteCheckInLink } = await ana.query(
      'mutation ($id: ID!) { deleteCheckInLink(id: $id) { deletedId user { id } } }',
      { id: link.id },
    );
    expect(deleteCheckInLink).toEqual({ deletedId: link.id, user: { id: ana.id } });
    expect(
      await ana.query('query ($task: ID!) { task(id: $task) { checkInLinks { id } } }', { task }),
    ).toEqual({
      task: { checkInLinks: [] },
    });
    expect(await statuses(link.path)).toEqual([404, 404, 404]);
    const second = await linkOf(ana, task);
    await ana.query('mutation ($task: ID!) { deleteTask(id: $task) { deletedId } }', { task });
    expect(await statuses(second.path)).toEqual([404, 404, 404]);
    const { id } = await ana.hasTask();
    const third = await linkOf(ana, id);
    await ana.query('mutation { signOutEverywhere { revoked } }').catch(() => {});
    expect((await here.rest.get(third.path, JSON_ONLY)).status).toBe(200);
    const ofMessage = pathOf(ana.id, id, '2026-11-21');
    await ana.query('mutation ($password: String!) { deleteMyAccount(password: $password) { deletedId } }', {
      password: ana.account.password,
    });
    expect(await statuses(third.path)).toEqual([404, 404, 404]);
    expect(await statuses(ofMessage)).toEqual([404, 404, 404]);
    expect((await here.rest.post(ofMessage, undefined, PAGE)).status).toBe(404);
    for (const path of [
      '/check-in/x',
      '/check-in/a%20b',
      `/check-in/${'é'.repeat(32)}`,
      '/check-in/constructor',
    ])
      expect((await here.rest.get(encodeURI(path), JSON_ONLY)).status, path).toBe(404);
  });

  it('is unknown if its account goes while it is used', async () => {
    const here = await world();
    const { ana, link } = await withLink(here);
    const counters = sql`select from user_progress where user_id = ${ana.id} for no key update`;
    const release = await holding(here.database, counters);
    const used = here.rest.post(link.path, undefined, JSON_ONLY);
    await untilSomeoneWaits(here.database);
    await release(sql`delete from users where id = ${ana.id}`);
    expect((await used).status).toBe(404);
  });

  // On several nodes no key of the database leads from a link to its task.
  it.skipIf(isOnManyNodes(inject('template')))(
    'is not made for a task that is gone, or goes meanwhile',
    async () => {
      const here = await world();
      const { ana, task } = await withLink(here);
      const codeFor = async (gone: string) => {
        const asked = { query: CREATE, variables: { task: gone, name: 'More' } };
        return (await ana.rest.post('/graphql', asked)).body.errors[0].extensions.code;
      };
      const deletion = sql`delete from tasks where id = ${task} and user_id = ${ana.id}`;
      const release = await holding(here.database, deletion);
      const goes = codeFor(task);
      await untilSomeoneWaits(here.database);
      await release();
      for (const code of [goes, codeFor(task), codeFor('x')]) expect(await code).toBe('NOT_FOUND');
    },
  );
});

describe('The link of a message', () => {
  it('completes what is left of one task on one day, and counts once', async () => {
    const here = await world();
    const { ana, task } = await withLink(here, 'title: "Water", target: { amount: 8, unit: "glasses" }');
    await ana.query('mutation ($task: ID!) { completeTask(taskId: $task, amount: 3) { isReplayed } }', {
      task,
    });
    const path = pathOf(ana.id, task, '2026-11-21');
    const press = async () => (await here.rest.post(path, undefined, JSON_ONLY)).body;
    expect(await press()).toMatchObject({ amount: 8, done: true, counted: true });
    here.clock.advance({ hours: 2 });
    expect(await press()).toMatchObject({ amount: 8, counted: false });
    expect((await here.rest.post(`${path}/undo`, undefined, JSON_ONLY)).status).toBe(400);
  });

  it.each(['title: "Swim"', 'title: "Water", target: { amount: 8, unit: "glasses" }'])(
    'counts nothing where nothing is left, since another device was first, and takes nothing back: %s',
    async (input) => {
      const here = await world();
      const { ana, task } = await withLink(here, input);
      await ana.completes({ id: Number(task) });
      const path = pathOf(ana.id, task, '2026-11-21');
      const press = () => here.rest.post(path, undefined, JSON_ONLY);
      expect((await press()).body).toMatchObject({ done: true, counted: false });
      expect((await here.rest.post(`${path}/undo`, undefined, JSON_ONLY)).body).toMatchObject({ done: true });
      expect(await countOf(ana, task)).toBe(1);
    },
  );

  it('counts for its day until an hour after that, by the clock of its user', async () => {
    const here = await world();
    const { ana, task } = await withLink(here);
    await ana.query(
      'mutation { updateProfile(input: { timeZone: "America/New_York", dayStartsAt: 3 }) { user { id } } }',
    );
    const path = pathOf(ana.id, task, '2026-11-21');
    here.clock.set('2026-11-22T08:59:59.000Z'); // 03:59:59 there
    expect((await here.rest.post(path, undefined, JSON_ONLY)).body).toMatchObject({
      ...{ day: '2026-11-21', done: true, counted: true },
    });
    const { task: found } = await ana.query(
      'query ($task: ID!) { task(id: $task) { completions { nodes { day } } } }',
      { task },
    );
    expect(found.completions.nodes).toEqual([{ day: '2026-11-21' }]);
    expect((await here.rest.post(`${path}/undo`, undefined, JSON_ONLY)).body).toMatchObject({ done: false });
    here.clock.set('2026-11-22T09:00:00.000Z');
    expect((await here.rest.post(path, undefined, JSON_ONLY)).status).toBe(410);
  });

  it('is unknown if one sign of it was changed, or another secret signed it', async () => {
    const here = await world();
    const { ana, task } = await withLink(here);
    const good = pathOf(ana.id, task, '2026-11-21');
    expect((await here.rest.get(good, JSON_ONLY)).status).toBe(200);
    for (let at = '/check-in/'.length; at < good.length; at += 7) {
      const changed = `${good.slice(0, at)}${good[at] === 'A' ? 'B' : 'A'}${good.slice(at + 1)}`;
      expect((await here.rest.get(changed, JSON_ONLY)).status, changed).toBe(404);
    }
    const others = pathOf(ana.id, task, '2026-11-21', 'another secret, of more than 32 characters');
    expect((await here.rest.post(others, undefined, JSON_ONLY)).status).toBe(404);
    const ben = await here.newUser();
    expect((await here.rest.post(pathOf(ben.id, task, '2026-11-21'), undefined, JSON_ONLY)).status).toBe(404);
  });
});
