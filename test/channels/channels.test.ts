import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import pino from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Guard, isPublic } from '../../src/base/outgoing/guard.js';
import { causeOf, HttpClient } from '../../src/base/outgoing/http-client.js';
import { isPushEndpoint } from '../../src/features/reminders/channels/push.js';
import { ADD, addsNtfy, channelsOf, makes, PUBLIC_URL, tested, withReceivers } from '../reminders/ringing.js';
import { configOf, ownDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { closedPort, Receiver } from '../support/receivers.js';
import { world } from '../support/world.js';

describe('A channel', () => {
  it('is added with exactly one way of sending, which it never tells again', async () => {
    const { ana, add, push } = await withReceivers();
    const browser = push.browser();
    await add({ name: 'Laptop', push: browser.input });
    await add({ name: 'Phone', ntfy: { topic: 'secret-topic', token: 'tk_secret' } });
    await add({ name: 'Chat', apprise: { urls: 'tgram://secret/chat' } });
    expect(await channelsOf(ana)).toMatchObject([
      { kind: 'PUSH', name: 'Laptop', state: 'WORKING', lastSentAt: null, lastError: null },
      { kind: 'NTFY', name: 'Phone' },
      { kind: 'APPRISE', name: 'Chat' },
    ]);
    const { text } = await ana.rest.get('/account/export');
    for (const secret of ['secret', 'Laptop', browser.input.auth]) expect(text).not.toContain(secret);
    for (const input of [
      {},
      { ntfy: { topic: 'a' }, apprise: { urls: 'a://b' } },
      { ntfy: { topic: 'a b' } },
      { ntfy: { topic: 'x'.repeat(65) } },
      { ntfy: { topic: 'a', token: 'a\nb' } },
      { apprise: { urls: 'no url' } },
      { push: { ...browser.input, auth: 'short' } },
      { push: { ...browser.input, p256dh: 'short' } },
      { push: { ...browser.input, p256dh: Buffer.alloc(65, 4).toString('base64url') } }, // no point of the curve
      { ntfy: { topic: 'docs' } },
      { apprise: { urls: 'see https://example.com' } },
      { apprise: { urls: 'mailto://' } },
      { push: { ...browser.input, endpoint: 'https://example.com/push' } },
      { push: { ...browser.input, endpoint: browser.input.endpoint.replace('https', 'http') } },
    ])
      await expect(add({ name: 'X', ...input }), JSON.stringify(input)).rejects.toThrow('BAD_USER_INPUT');
  });

  it('of a browser that subscribes again is the same', async () => {
    const { ana, add, push } = await withReceivers();
    const browser = push.browser();
    const first = await add({ name: 'Laptop', push: browser.input });
    const again = await add({ name: 'Work', push: browser.input });
    expect(again).toMatchObject({ id: first.id, name: 'Work' });
    expect(await channelsOf(ana)).toHaveLength(1);
  });

  it('is one of at most twenty, and goes when it is removed', async () => {
    const { ana, add } = await withReceivers();
    const first = await add({ name: 'a', ntfy: { topic: 'a' } });
    for (let number = 1; number < 20; number += 1) await add({ name: 'b', ntfy: { topic: `t${number}` } });
    await expect(add({ name: 'c', ntfy: { topic: 'c' } })).rejects.toThrow('LIMIT_REACHED');
    const removed = await ana.query(
      'mutation ($id: ID!) { deleteChannel(id: $id) { deletedId user { channels { id } } } }',
      { id: first.id },
    );
    expect(removed.deleteChannel.deletedId).toBe(first.id);
    expect(removed.deleteChannel.user.channels).toHaveLength(19);
    await add({ name: 'c', ntfy: { topic: 'c' } });
  });

  it('of a browser ends when all sessions are ended, and others stay', async () => {
    const { ana, add, push, rest } = await withReceivers();
    await add({ name: 'Laptop', push: push.browser().input });
    await add({ name: 'Phone', ntfy: { topic: 'a' } });
    await ana.query('mutation { signOutEverywhere { token } }');
    const { body } = await rest.post('/api/auth/login', ana.account);
    const answer = await rest.as(body.token).post('/graphql', { query: '{ me { channels { kind } } }' });
    expect(answer.body.data.me.channels).toEqual([{ kind: 'NTFY' }]);
  });

  it('is tried by nobody else', async () => {
    const { add, apprise, newUser } = await withReceivers();
    const { id } = await add({ name: 'Chat', apprise: { urls: 'tgram://token/chat' } });
    await expect(tested(await newUser(), id)).rejects.toThrow('NOT_FOUND');
    expect(apprise.taken).toEqual([]);
  });

  it('can be tried five times in ten minutes, by many at once or under a new name too', async () => {
    const { ana, add, apprise, clock } = await withReceivers();
    const chat = { name: 'Chat', apprise: { urls: 'tgram://token/chat' } };
    const { id } = await add(chat);
    expect(await tested(ana, id)).toEqual({
      isDelivered: true,
      error: null,
      channel: { state: 'WORKING', lastSentAt: clock.now().toISOString(), lastError: null },
    });
    const [body, error] = [
      { urls: 'tgram://token/chat', title: 'Steady', body: 'Reminders arrive here.' },
      'The receiver answered 500',
    ];
    expect(apprise.taken).toMatchObject([{ path: '/notify', body }]);
    apprise.manner = 500;
    const failing = { isDelivered: false, error, channel: { state: 'FAILING', lastError: error } };
    expect(await tested(ana, id)).toMatchObject(failing);
    await Promise.allSettled(Array.from({ length: 9 }, () => tested(ana, id)));
    expect(apprise.taken).toHaveLength(5);
    await ana.query('mutation ($id: ID!) { deleteChannel(id: $id) { deletedId } }', { id });
    const again = await add(chat);
    await expect(tested(ana, again.id)).rejects.toThrow('TOO_MANY_ATTEMPTS');
    clock.advance({ seconds: 601 });
    apprise.manner = 200;
    expect(await tested(ana, again.id)).toMatchObject({ isDelivered: true, channel: { state: 'WORKING' } });
  });
});

const NOT_TAKEN = 'The push service has not taken it';

describe('Web Push', () => {
  it('tells a user nothing of what answers at an address, and the operator all of it', async () => {
    const { push } = await withReceivers();
    const lines: string[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
    const closed = await closedPort();
    const resetting = net.createServer((socket) => socket.resetAndDestroy()).listen(0, '127.0.0.1');
    onTestFinished(() => void resetting.close());
    await once(resetting, 'listening');
    const ports = [new URL(closed).port, `${(resetting.address() as AddressInfo).port}`];
    const hosts = [new URL(push.url).host, ...ports.map((port) => `localhost:${port}`)];
    const config = configOf({ PUBLIC_URL, PUSH_HOSTS: hosts.join() });
    const here = await world({ database: await ownDatabase(), config, log });
    const ana = await here.newUser();
    push.manner = 403;
    const told = [];
    for (const host of hosts) {
      const input = { ...push.browser().input, endpoint: `https://${host}/x` };
      const added = await ana.query(ADD, { input: { name: host, receiver: { push: input } } });
      told.push(await tested(ana, added.addChannel.channel.id));
    }
    const channel = { state: 'FAILING', lastSentAt: null, lastError: NOT_TAKEN };
    expect(told).toEqual(Array(3).fill({ isDelivered: false, error: NOT_TAKEN, channel }));
    const causes = lines.map((line) => JSON.parse(line)).filter(({ kind }) => kind === 'PUSH');
    expect(causes.map(({ reason }) => reason)).toEqual([
      'The receiver answered 403',
      'The receiver cannot be reached (ECONNREFUSED)',
      'The receiver cannot be reached (ECONNRESET)',
    ]);
  });

  it('reaches the browser, which alone can read it, with what a worker and Safari need', async () => {
    const { ana, add, push, clock, ring, rest } = await withReceivers();
    await add({ name: 'Laptop', push: push.browser().input });
    const { reminderService } = await ana.query('{ reminderService { pushKey } }');
    expect(Buffer.from(reminderService.pushKey, 'base64url')).toHaveLength(65);
    const swim = await makes(ana, 'title: "Swim", icon: "🏊", colour: BLUE, reminders: [{ at: "08:00" }]');
    clock.set('2026-11-22T08:00:00Z');
    await ring();
    expect(push.faults).toEqual([]);
    const [taken, ...others] = push.taken;
    expect(others).toEqual([]);
    expect(taken?.headers.authorization).toContain(`k=${reminderService.pushKey}`);
    expect(taken?.body).toMatchObject({
      web_push: 8030,
      notification: {
        ...{ title: '🏊 Swim', body: 'Not done yet today.', lang: 'en', tag: expect.any(String) },
        navigate: `${PUBLIC_URL}/#task=${swim}`,
        actions: [{ action: 'done', title: 'Done', navigate: expect.any(String) }],
        data: { day: '2026-11-22', tasks: [Number(swim)], done: expect.any(String), colour: 'BLUE' },
      },
    });
    const { pathname } = new URL(taken?.body.notification.data.done);
    expect((await rest.post(pathname, '', { accept: 'application/json' })).body).toMatchObject({
      done: true,
    });
    expect(await channelsOf(ana)).toMatchObject([
      { state: 'WORKING', lastSentAt: '2026-11-22T08:00:00.000Z' },
    ]);
  });

  it.each([404, 410])('ends where the push service answers %i', async (status) => {
    const { ana, add, push, clock, ring } = await withReceivers();
    await add({ name: 'Laptop', push: push.browser().input });
    await makes(ana, 'title: "Swim", reminders: [{ at: "08:00" }, { at: "09:00" }]');
    push.manner = status;
    for (const time of ['08:00:00', '08:00:10', '09:00:00']) {
      clock.set(`2026-11-22T${time}Z`);
      await ring();
    }
    expect(push.taken).toHaveLength(1);
    expect(await channelsOf(ana)).toMatchObject([{ state: 'ENDED' }]);
  });

  it('goes to push services alone, and to public addresses unless the operator says otherwise', () => {
    for (const endpoint of [
      'https://fcm.googleapis.com/fcm/send/x',
      'https://updates.push.services.mozilla.com/wpush/v2/x',
      'https://web.push.apple.com/x',
      'https://wns2-par02p.notify.windows.com/w/x',
    ])
      expect(isPushEndpoint(endpoint, []), endpoint).toBe(true);
    for (const endpoint of [
      'http://fcm.googleapis.com/x',
      'https://fcm.googleapis.com:8443/x',
      'https://fcm.googleapis.com.evil.example/x',
      'https://evilpush.apple.com.example/x',
      'https://push.apple.com@evil.example/x',
      'https://127.0.0.1/x',
      'nonsense',
    ])
      expect(isPushEndpoint(endpoint, []), endpoint).toBe(false);
    const hosts = ['*.example.com', 'push.example.com:8443', 'own.example:443'];
    for (const [endpoint, isAmong] of [
      ['https://push.example.com/x', true],
      ['https://push.example.com:443/x', true],
      ['https://push.example.com:8443/x', true],
      ['https://push.example.com:22/x', false],
      ['https://other.example.com:8443/x', false],
      ['https://own.example/x', true],
      ['https://own.example:8443/x', false],
    ] as const)
      expect(isPushEndpoint(endpoint, hosts), endpoint).toBe(isAmong);
    expect(['8.8.8.8', '1.1.1.1', '2606:4700::1111'].map(isPublic)).toEqual([true, true, true]);
    const hidden = [
      ...['127.0.0.1', '10.1.2.3', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1', '0.0.0.0'],
      ...['224.0.0.1', '255.255.255.255', '::1', '::', 'fe80::1', 'fc00::1', '::ffff:10.0.0.1'],
      '64:ff9b::a00:1',
      ...['2002:a00:1::', '2001:db8::1', '2001:0:1::', 'ff02::1', 'nonsense'],
    ];
    expect(hidden.filter(isPublic)).toEqual([]);
  });

  it('connects to no private address by a name of a push service', async () => {
    const hidden = await new Receiver().start();
    const client = new HttpClient({ guard: new Guard({ allows: (_url, address) => isPublic(address) }) });
    onTestFinished(() => client.close());
    for (const url of [hidden.url, hidden.url.replace('127.0.0.1', 'localhost')]) {
      const sending = (async () => client.send(new URL(url)))();
      expect(await sending.then(() => 'sent', causeOf)).toBe(
        'The receiver has an address that is not public',
      );
    }
    expect(hidden.taken).toEqual([]);
  });
});

describe('A receiver', () => {
  const kinds = ['PUSH', 'NTFY', 'APPRISE'] as const;

  async function receiving(kind: (typeof kinds)[number]) {
    const here = await withReceivers();
    const { push, ntfy, apprise } = here;
    const [receiver, input] = {
      PUSH: [push, { push: push.browser().input }] as const,
      NTFY: [ntfy, { ntfy: { topic: 'ana' } }] as const,
      APPRISE: [apprise, { apprise: { urls: 'tgram://x/y' } }] as const,
    }[kind];
    await here.add({ name: 'It', ...input });
    await makes(here.ana, 'title: "Swim", reminders: [{ at: "08:00" }]');
    const at = async (time: string) => {
      here.clock.set(`2026-11-22T${time}Z`);
      await here.ring();
      return receiver.taken.length;
    };
    return { ...here, receiver, at };
  }

  it('that is there again gets the message once more, until it was tried four times', async () => {
    const { ana, receiver, at } = await receiving('NTFY');
    receiver.manner = 503;
    const tries = [];
    for (const time of ['08:00:00', '08:00:09', '08:00:10', '08:01:10', '08:06:10', '08:20:00'])
      tries.push(await at(time));
    expect(tries).toEqual([1, 1, 2, 3, 4, 4]);
    expect(await channelsOf(ana)).toMatchObject([
      { state: 'FAILING', lastError: 'The receiver answered 503' },
    ]);
  });

  it.each(kinds)('of %s is not followed where it sends elsewhere', async (kind) => {
    const { ana, receiver, at } = await receiving(kind);
    const elsewhere = await new Receiver().start();
    receiver.manner = { to: elsewhere.url };
    await at('08:00:00');
    expect(elsewhere.taken).toEqual([]);
    expect(await channelsOf(ana)).toMatchObject([
      { lastError: kind === 'PUSH' ? NOT_TAKEN : 'The receiver answered 302' },
    ]);
  });

  it.each(kinds)('of %s that is away is tried again, with the same mark, and then works', async (kind) => {
    const { ana, receiver, at } = await receiving(kind);
    receiver.manner = kind === 'APPRISE' ? 503 : 500;
    await at('08:00:00');
    receiver.manner = 200;
    expect(await at('08:00:10')).toBe(2);
    const [first, second] = receiver.taken;
    if (kind === 'PUSH') expect(first?.body.notification.tag).toBe(second?.body.notification.tag);
    if (kind === 'NTFY') expect(first?.body.sequence_id).toBe(second?.body.sequence_id);
    expect(await channelsOf(ana)).toMatchObject([{ state: 'WORKING', lastError: null }]);
  });

  it('that fails for three days has ended', async () => {
    const { ana, receiver, clock, ring } = await receiving('NTFY');
    receiver.manner = 500;
    for (let day = 22; day <= 25; day += 1) {
      clock.set(`2026-11-${day}T08:00:00Z`);
      await ring();
    }
    expect(await channelsOf(ana)).toMatchObject([{ state: 'ENDED' }]);
    const before = receiver.taken.length;
    clock.set('2026-11-26T08:00:00Z');
    await ring();
    expect(receiver.taken).toHaveLength(before);
  });
});

it('What machines read on the way, as mails that Apprise sends, has no address that counts by being opened', async () => {
  const { ana, add, apprise, clock, ring } = await withReceivers();
  await add({ name: 'Mail', apprise: { urls: 'mailto://ana:secret@example.com' } });
  await makes(ana, 'title: "Swim", reminders: [{ at: "08:00" }]');
  clock.set('2026-11-22T08:00:00Z');
  await ring();
  expect(apprise.taken).toHaveLength(1);
  expect(apprise.taken[0]?.text).not.toContain('check-in');
});

it('Apprise is not asked again where it may have told somebody', async () => {
  const { ana, add, apprise, clock, ring } = await withReceivers();
  await add({ name: 'Chat', apprise: { urls: 'tgram://x/y' } });
  await makes(ana, 'title: "Swim", reminders: [{ at: "08:00" }]');
  for (const [index, manner] of [500, 424].entries()) {
    apprise.manner = manner;
    clock.set(`2026-11-2${2 + index}T08:00:00Z`);
    await ring();
    clock.advance({ seconds: 70 });
    await ring();
  }
  expect(apprise.taken).toHaveLength(2);
});

it('A receiver that is tried keeps no request of others waiting, and that it cannot be reached is said', async () => {
  const ntfy = await new Receiver().start();
  const config = { ...configOf({ NTFY_URL: ntfy.url }), atWork: 1 };
  const { newUser } = await world({ database: await ownDatabase(), config });
  const [ana, ben] = [await newUser(), await newUser()];
  const { id } = await addsNtfy(ana);
  ntfy.manner = 'hangs';
  const answers: unknown[] = [];
  const testing = tested(ana, id).then(({ error }) => answers.push(error));
  await eventually(() => ntfy.taken.length === 1);
  await ben.query('{ me { id } }');
  answers.push('other');
  await ntfy.stop();
  await testing;
  expect(answers).toEqual(['other', 'The receiver cannot be reached']);
});
