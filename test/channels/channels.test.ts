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
    const far = { ...browser.input, endpoint: 'https://example.com/push' };
    const plain = { ...browser.input, endpoint: browser.input.endpoint.replace('https', 'http') };
    const noPoint = Buffer.alloc(65, 4).toString('base64url'); // of the curve
    for (const input of [
      ...[{}, { ntfy: { topic: 'a' }, apprise: { urls: 'a://b' } }],
      ...['a b', 'x'.repeat(65), 'docs'].map((topic) => ({ ntfy: { topic } })),
      { ntfy: { topic: 'a', token: 'a\nb' } },
      ...['no url', 'see https://example.com', 'mailto://'].map((urls) => ({ apprise: { urls } })),
      ...[{ auth: 'short' }, { p256dh: 'short' }, { p256dh: noPoint }].map((wrong) => ({
        push: { ...browser.input, ...wrong },
      })),
      ...[{ push: far }, { push: plain }],
    ])
      await expect(add({ name: 'X', ...input }), JSON.stringify(input)).rejects.toThrow('BAD_USER_INPUT');
  });

  it('of a browser that subscribes again is the same, and ends when all sessions are ended, unlike others', async () => {
    const { ana, add, push, rest } = await withReceivers();
    const { input } = push.browser();
    const first = await add({ name: 'Laptop', push: input });
    expect(await add({ name: 'Work', push: input })).toMatchObject({ id: first.id, name: 'Work' });
    await add({ name: 'Phone', ntfy: { topic: 'a' } });
    expect(await channelsOf(ana)).toHaveLength(2);
    await ana.query('mutation { signOutEverywhere { token } }');
    const { body } = await rest.post('/api/auth/login', ana.account);
    const answer = await rest.as(body.token).ask('{ me { channels { kind } } }');
    expect(answer.data.me.channels).toEqual([{ kind: 'NTFY' }]);
  });

  it('is one of at most twenty, and goes when it is removed', async () => {
    const { ana, add } = await withReceivers();
    const another = (topic: string) => add({ name: 'a', ntfy: { topic } });
    const first = await another('a');
    for (let number = 1; number < 20; number += 1) await another(`t${number}`);
    await expect(another('c')).rejects.toThrow('LIMIT_REACHED');
    const { deleteChannel } = await ana.query(
      `mutation { deleteChannel(id: "${first.id}") { deletedId user { channels { id } } } }`,
    );
    expect([deleteChannel.deletedId, deleteChannel.user.channels.length]).toEqual([first.id, 19]);
    await another('c');
  });

  it('can be tried by its user alone, five times in ten minutes, by many at once or under a new name too', async () => {
    const { ana, add, apprise, clock, newUser } = await withReceivers();
    const chat = { name: 'Chat', apprise: { urls: 'tgram://token/chat' } };
    const { id } = await add(chat);
    await expect(tested(await newUser(), id)).rejects.toThrow('NOT_FOUND');
    expect(await tested(ana, id)).toEqual({
      isDelivered: true,
      error: null,
      channel: { state: 'WORKING', lastSentAt: clock.now().toISOString(), lastError: null },
    });
    const body = { urls: 'tgram://token/chat', title: 'Steady', body: 'Reminders arrive here.' };
    expect(apprise.taken).toMatchObject([{ path: '/notify', body }]);
    const error = 'The receiver answered 500';
    apprise.manner = 500;
    const failing = { isDelivered: false, error, channel: { state: 'FAILING', lastError: error } };
    expect(await tested(ana, id)).toMatchObject(failing);
    await Promise.allSettled(Array.from({ length: 9 }, () => tested(ana, id)));
    expect(apprise.taken).toHaveLength(5);
    await ana.query(`mutation { deleteChannel(id: "${id}") { deletedId } }`);
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
    const pressed = await rest.post(pathname, '', { accept: 'application/json' });
    expect(pressed.body).toMatchObject({ done: true });
    const [channel] = await channelsOf(ana);
    expect(channel).toMatchObject({ state: 'WORKING', lastSentAt: '2026-11-22T08:00:00.000Z' });
  });

  it('goes to push services alone, and to public addresses unless the operator says otherwise', () => {
    const own = ['*.example.com', 'push.example.com:8443', 'own.example:443'];
    for (const [hosts, isAmong, ...addresses] of [
      [[], true, 'fcm.googleapis.com/fcm/send/x', 'updates.push.services.mozilla.com/wpush/v2/x'],
      [[], true, 'web.push.apple.com/x', 'wns2-par02p.notify.windows.com/w/x'],
      [[], false, 'fcm.googleapis.com:8443/x', 'fcm.googleapis.com.evil.example/x', '127.0.0.1/x'],
      [[], false, 'evilpush.apple.com.example/x', 'push.apple.com@evil.example/x'],
      [own, true, 'push.example.com/x', 'push.example.com:443/x', 'push.example.com:8443/x', 'own.example/x'],
      [own, false, 'push.example.com:22/x', 'other.example.com:8443/x', 'own.example:8443/x'],
    ] as [string[], boolean, ...string[]][])
      for (const address of addresses)
        expect(isPushEndpoint(`https://${address}`, hosts), address).toBe(isAmong);
    for (const endpoint of ['http://fcm.googleapis.com/x', 'nonsense'])
      expect(isPushEndpoint(endpoint, []), endpoint).toBe(false);
    const open = ['8.8.8.8', '1.1.1.1', '2606:4700::1111'];
    const hidden = [
      ...['127.0.0.1', '10.1.2.3', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1', '0.0.0.0'],
      ...['224.0.0.1', '255.255.255.255', '::1', '::', 'fe80::1', 'fc00::1', '::ffff:10.0.0.1'],
      ...['64:ff9b::a00:1', '2002:a00:1::', '2001:db8::1', '2001:0:1::', 'ff02::1', 'nonsense'],
    ];
    expect([...open, ...hidden].filter(isPublic)).toEqual(open);
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

  async function receiving(kind: (typeof kinds)[number], urls = 'tgram://x/y') {
    const here = await withReceivers();
    const { push, ntfy, apprise } = here;
    const [receiver, input] = {
      PUSH: [push, { push: push.browser().input }] as const,
      NTFY: [ntfy, { ntfy: { topic: 'ana' } }] as const,
      APPRISE: [apprise, { apprise: { urls } }] as const,
    }[kind];
    await here.add({ name: 'It', ...input });
    await makes(here.ana, 'title: "Swim", reminders: [{ at: "08:00" }, { at: "09:00" }]');
    /** How often it was asked by then. */
    const askedBy = async (time: string, day = 22) => {
      here.clock.set(`2026-11-${day}T${time}Z`);
      await here.ring();
      return receiver.taken.length;
    };
    const channel = async () => (await channelsOf(here.ana))[0];
    return { ...here, receiver, askedBy, channel };
  }

  it('that is there again gets the message once more, until it was tried four times', async () => {
    const { receiver, askedBy, channel } = await receiving('NTFY');
    receiver.manner = 503;
    for (const [time, asked] of Object.entries({
      ...{ '08:00:00': 1, '08:00:09': 1, '08:00:10': 2, '08:01:10': 3, '08:06:10': 4, '08:20:00': 4 },
    }))
      expect(await askedBy(time), time).toBe(asked);
    expect(await channel()).toMatchObject({ state: 'FAILING', lastError: 'The receiver answered 503' });
  });

  it.each(kinds)(
    'of %s is not followed elsewhere, and when it was away tried again with the same mark',
    async (kind) => {
      const { receiver, askedBy, channel } = await receiving(kind);
      const elsewhere = await new Receiver().start();
      receiver.manner = { to: elsewhere.url };
      await askedBy('08:00:00');
      expect(elsewhere.taken).toEqual([]);
      const lastError = kind === 'PUSH' ? NOT_TAKEN : 'The receiver answered 302';
      expect(await channel()).toMatchObject({ state: 'FAILING', lastError });
      receiver.manner = kind === 'APPRISE' ? 503 : 500;
      await askedBy('09:00:00');
      receiver.manner = 200;
      await askedBy('09:00:10');
      const [before, again] = receiver.taken.slice(-2).map(({ body }) => body);
      if (kind === 'PUSH') expect(before.notification.tag).toBe(again.notification.tag);
      if (kind === 'NTFY') expect(before.sequence_id).toBe(again.sequence_id);
      expect(await channel()).toMatchObject({ state: 'WORKING', lastError: null });
    },
  );

  it('that fails for three days has ended, as has a browser of which the push service answers 404 or 410', async () => {
    const failing = await receiving('NTFY');
    failing.receiver.manner = 500;
    for (let day = 22; day <= 25; day += 1) await failing.askedBy('08:00:00', day);
    expect(await failing.channel()).toMatchObject({ state: 'ENDED' });
    const before = failing.receiver.taken.length;
    expect(await failing.askedBy('08:00:00', 26)).toBe(before);
    for (const status of [404, 410]) {
      const { receiver, askedBy, channel } = await receiving('PUSH');
      receiver.manner = status;
      for (const time of ['08:00:00', '08:00:10', '09:00:00']) expect(await askedBy(time)).toBe(1);
      expect(await channel()).toMatchObject({ state: 'ENDED' });
    }
  });

  it('of Apprise is not asked again where it may have told somebody, nor sent a link, which machines would open', async () => {
    const { receiver, askedBy } = await receiving('APPRISE', 'mailto://ana:secret@example.com');
    for (const [index, manner] of [500, 424].entries()) {
      receiver.manner = manner;
      for (const time of ['08:00:00', '08:01:10']) expect(await askedBy(time, 22 + index)).toBe(index + 1);
    }
    for (const { text } of receiver.taken) expect(text).not.toContain('check-in');
  });

  it('that is tried keeps no request of others waiting, and that it cannot be reached is said', async () => {
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
});
