import { sql } from 'kysely';
import pino from 'pino';
import { Webhook as Verifier } from 'standardwebhooks';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { webhookHosts } from '../../src/features/webhooks/address.js';
import { Caller } from '../../src/features/webhooks/call.js';
import { WebhookJob } from '../../src/features/webhooks/webhook.job.js';
import { configOf, ownDatabase, sharedDatabase } from '../support/database.js';
import { eventsOf, reasonOf, setFeed } from '../support/feed.js';
import { Receiver } from '../support/receivers.js';
import { TestClock, type TestUser, world } from '../support/world.js';

const HOSTS = '127.0.0.0/8';

const WEBHOOK =
  'id name url kinds state failingSince lastDeliveredAt createdAt deliveries { event { number } attempt status error }';
const CREATE = `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { ${WEBHOOK} } secret user { eventFeed } } }`;

/** A service that sends to loopback, one more process, and a clock that is now. */
async function sending(opened = sharedDatabase()) {
  const clock = new TestClock();
  clock.set(new Date().toISOString());
  const database = await opened;
  await sql`delete from jobs where kind = 'webhook'`.execute(database.query()); // of tests before
  const here = await world({ database, clock, config: configOf({ WEBHOOK_HOSTS: HOSTS }) });
  const paused: string[] = [];
  const newJob = () => {
    const caller = new Caller(webhookHosts(HOSTS) ?? expect.unreachable());
    const base = { ...here, config: configOf(), log: pino({ level: 'silent' }) };
    const { runner } = new WebhookJob(base, caller, async (_, userId) => void paused.push(userId));
    onTestFinished(async () => {
      await runner.stop();
      caller.close();
    });
    return runner;
  };
  const receiver = await new Receiver().start();
  return { ...here, clock, runner: newJob(), newJob, receiver, paused, ana: await here.newUser() };
}

async function hook(user: TestUser, url: string, more: object = {}) {
  const { createWebhook } = await user.query(CREATE, { input: { url, name: 'Here', ...more } });
  return { id: createWebhook.webhook.id as string, secret: createWebhook.secret as string };
}

/** With a webhook of Ana's, and habits that she makes. */
async function hooked(more: object = {}, database = sharedDatabase()) {
  const here = await sending(database);
  const { ana, receiver, runner, clock } = here;
  const { id, secret } = await hook(ana, receiver.url, more);
  const change = (mutation: string, fields = 'webhook { id }') =>
    ana.query(`mutation { ${mutation} { ${fields} } }`);
  /** What it has got once it has had its turn after so long. */
  const gotAfter = async (seconds: number, manner = receiver.manner) => {
    clock.advance({ seconds });
    receiver.manner = manner;
    await runner.run();
    return numbersOf(receiver);
  };
  return { ...here, id, secret, change, gotAfter };
}

const webhooksOf = async (user: TestUser) =>
  (await user.query(`{ me { webhooks { ${WEBHOOK} } } }`)).me.webhooks;

const numbersOf = ({ taken }: Receiver) => taken.map(({ body }) => body.data.number);

describe('A webhook', () => {
  it('turns the feed on, is listed without its secret, and keeps the feed from being turned off', async () => {
    const { ana, receiver } = await sending();
    const { createWebhook } = await ana.query(CREATE, { input: { url: receiver.url, name: 'Here' } });
    const { webhook, secret, user } = createWebhook;
    expect(webhook).toMatchObject({ url: receiver.url, kinds: null, state: 'ACTIVE', deliveries: [] });
    expect([secret, user]).toEqual([expect.stringMatching(/^whsec_[\w+/]{43}=$/), { eventFeed: true }]);
    const { id } = webhook;
    const off = 'mutation { updateProfile(input: { eventFeed: false }) { user { id } } }';
    expect(await reasonOf(ana, off)).toBe('HAS_WEBHOOKS');
    for (const [change, kinds] of [
      ['name: "There", kinds: [TASK_CREATED]', ['TASK_CREATED']],
      ['kinds: null', null],
    ] as const) {
      await ana.query(`mutation { updateWebhook(input: { id: "${id}", ${change} }) { webhook { id } } }`);
      expect(await webhooksOf(ana)).toMatchObject([{ id, name: 'There', kinds, url: receiver.url }]);
    }
    const { deleteWebhook } = await ana.query(`mutation { deleteWebhook(id: "${id}") { webhookId } }`);
    expect([deleteWebhook, await webhooksOf(ana)]).toEqual([{ webhookId: id }, []]);
    await setFeed(ana, false);
  });

  it('gets each event in the form and with the signature of Standard Webhooks', async () => {
    const { ana, runner, receiver, secret } = await hooked();
    const swim = await ana.hasTask();
    const { body: completion } = await ana.completes(swim);
    await runner.run();
    const events = await eventsOf(ana);
    expect(receiver.taken.map(({ body }) => body)).toEqual([
      {
        type: 'task.created',
        timestamp: events[0].at,
        data: { number: 1, user_id: ana.id, task_id: String(swim.id) },
      },
      {
        type: 'completion.recorded',
        timestamp: events[1].at,
        data: { number: 2, user_id: ana.id, task_id: String(swim.id), completion_id: String(completion.id) },
      },
    ]);
    for (const [index, { text, headers }] of receiver.taken.entries()) {
      expect(new Verifier(secret).verify(text, headers as Record<string, string>)).toEqual(JSON.parse(text));
      expect(headers['webhook-id']).toBe(events[index].id);
    }
    const [{ lastDeliveredAt, deliveries }] = await webhooksOf(ana);
    expect(lastDeliveredAt).not.toBeNull();
    expect(deliveries).toEqual(
      [2, 1].map((number) => ({ event: { number }, attempt: 1, status: 200, error: null })),
    );
  });

  it('gets only the kinds that it wants, and of more from now on none of before', async () => {
    const { ana, change, database, id, gotAfter } = await hooked({ kinds: ['COMPLETION_RECORDED'] });
    const swim = await ana.hasTask();
    await ana.completes(swim);
    await ana.hasTask();
    expect(await gotAfter(0)).toEqual([2]);
    const { rows } = await sql`select from jobs where kind = 'webhook'`.execute(database.query());
    expect(rows).toEqual([]);
    await ana.hasTask();
    await change(`updateWebhook(input: { id: "${id}", kinds: null })`);
    await ana.hasTask();
    expect(await gotAfter(0)).toEqual([2, 5]);
  });

  it('that fails is tried again in ever longer pauses, with the same id, and then the rest follows in order', async () => {
    const { ana, receiver, clock, gotAfter } = await hooked();
    for (let made = 0; made < 3; made += 1) await ana.hasTask();
    expect(await gotAfter(0, 500)).toEqual([1]);
    expect(await webhooksOf(ana)).toMatchObject([
      { state: 'FAILING', failingSince: clock.now().toISOString() },
    ]);
    for (const [index, seconds] of [5, 60, 300, 1_800, 7_200, 21_600, 43_200].entries()) {
      expect(await gotAfter(seconds - 1)).toHaveLength(index + 1);
      expect(await gotAfter(1)).toHaveLength(index + 2);
    }
    expect(await gotAfter(43_200, 200)).toEqual([...Array.from({ length: 9 }, () => 1), 2, 3]);
    expect(new Set(receiver.taken.slice(0, 9).map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    const [found] = await webhooksOf(ana);
    expect(found).toMatchObject({ state: 'ACTIVE', failingSince: null });
    const first = { event: { number: 1 }, attempt: 1, status: 500, error: 'REFUSED' };
    expect(found.deliveries.at(-1)).toEqual(first);
    expect(found.deliveries[2]).toMatchObject({ event: { number: 1 }, attempt: 9, status: 200 });
  });

  it('is paused after three days, and by a 410 at once; resumed, it goes on where it stood or after an event', async () => {
    const { ana, receiver, paused, renewed, id, gotAfter } = await hooked();
    await ana.hasTask();
    for (let hours = 0; hours <= 96; hours += 6) await gotAfter(6 * 3_600, 503);
    const later = renewed(ana);
    const stateOf = async () => (await webhooksOf(later))[0].state;
    expect([await stateOf(), paused]).toEqual(['PAUSED', [ana.id]]);
    receiver.taken.length = 0;
    await ana.hasTask();
    expect(await gotAfter(0)).toEqual([]);
    const resume = (after = '') => `mutation { resumeWebhook(id: "${id}"${after}) { webhook { state } } }`;
    expect(await later.query(resume())).toEqual({ resumeWebhook: { webhook: { state: 'ACTIVE' } } });
    expect(await gotAfter(0, 200)).toEqual([1, 2]);
    await ana.hasTask();
    await gotAfter(0, 410);
    expect([await stateOf(), paused]).toEqual(['PAUSED', [ana.id, ana.id]]);
    await ana.hasTask();
    await later.query(resume(', after: "3"'));
    expect(await gotAfter(0, 200)).toEqual([1, 2, 3, 4]);
    expect(await reasonOf(later, resume(', after: "9"'))).toBe('FEED_TRUNCATED');
  });

  it('passes over what is answered 400 or 422 three times by itself, visibly', async () => {
    const { ana, gotAfter } = await hooked();
    await ana.hasTask();
    for (const [index, seconds] of [0, 5, 60, 300].entries())
      await gotAfter(seconds, [503, 503, 400, 422][index]); // of which two are refusals
    expect(await gotAfter(1_800, 200)).toEqual([1, 1, 1, 1, 1]);
    await ana.hasTask();
    await ana.hasTask();
    for (const seconds of [0, 5, 60]) await gotAfter(seconds, 422);
    expect((await gotAfter(5, 200)).slice(5)).toEqual([2, 2, 2, 3, 3]);
    const [{ state, deliveries }] = await webhooksOf(ana);
    type Delivery = { event: { number: number }; status: number };
    const tried = deliveries.map(({ event, status }: Delivery) => [event.number, status]);
    expect(tried.slice(0, 5)).toEqual([[3, 200], [3, 422], ...[1, 2, 3].map(() => [2, 422])]);
    expect(state).toBe('ACTIVE');
  });

  it('is tried by a test, also when it is paused, with no number', async () => {
    const { ana, change, receiver, database, clock, id, secret } = await hooked();
    await sql`update webhooks set state = 'PAUSED' where id = ${id}`.execute(database.query());
    const test = async () =>
      (await change(`testWebhook(id: "${id}")`, `webhook { ${WEBHOOK} }`)).testWebhook.webhook;
    expect(await test()).toMatchObject({
      state: 'PAUSED',
      deliveries: [{ event: null, attempt: 1, status: 200, error: null }],
    });
    const [{ text, headers, body }] = receiver.taken as [(typeof receiver.taken)[number]];
    const timestamp = clock.now().toISOString();
    expect(body).toEqual({ type: 'webhook.test', timestamp, data: { user_id: ana.id } });
    new Verifier(secret).verify(text, headers as Record<string, string>);
    await receiver.stop();
    expect((await test()).deliveries[0]).toMatchObject({ status: null, error: 'UNREACHABLE' });
  });

  it('that hangs while it is tried by a test keeps no request of others waiting', async () => {
    const config = { ...configOf({ WEBHOOK_HOSTS: HOSTS }), atWork: 1 };
    const { newUser } = await world({ config });
    const [ana, ben] = [await newUser(), await newUser()];
    const receiver = await new Receiver().start();
    const { id } = await hook(ana, receiver.url);
    receiver.manner = 'hangs';
    const test = `mutation { testWebhook(id: "${id}") { webhook { deliveries { error } } } }`;
    const answers: string[] = [];
    const testing = ana.query(test).then(({ testWebhook }) => {
      answers.push('test');
      return testWebhook.webhook.deliveries;
    });
    await expect.poll(() => receiver.taken.length).toBe(1);
    await ben.query('{ me { id } }');
    answers.push('other');
    await receiver.stop();
    expect(await testing).toEqual([{ error: 'UNREACHABLE' }]);
    expect(answers).toEqual(['other', 'test']);
  });

  it('that hangs delays no other, is a TIMEOUT after ten seconds, and follows no redirect', async () => {
    const { ana, newUser, runner, receiver } = await sending();
    const ben = await newUser();
    const other = await new Receiver().start('127.0.0.2');
    receiver.manner = 'hangs';
    await hook(ana, receiver.url);
    await hook(ben, other.url);
    for (const user of [ana, ben]) await user.hasTask();
    const patience = new AbortController();
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(patience.signal);
    onTestFinished(() => timeout.mockRestore());
    const running = runner.run();
    await expect.poll(() => other.taken.length + receiver.taken.length).toBe(2);
    expect(timeout).toHaveBeenCalledWith(10_000);
    timeout.mockRestore();
    patience.abort(new DOMException('It took too long', 'TimeoutError'));
    await running;
    expect((await webhooksOf(ana))[0].deliveries).toMatchObject([{ status: null, error: 'TIMEOUT' }]);
    other.manner = { to: receiver.url };
    await ben.hasTask();
    await runner.run();
    expect((await webhooksOf(ben))[0].deliveries[0]).toMatchObject({ status: 302, error: 'REFUSED' });
    expect(receiver.taken).toHaveLength(1);
  });

  it('gets each event in order whatever number of processes send, while changes are made', async () => {
    const { ana, newJob, receiver } = await hooked();
    const swim = await ana.hasTask();
    const runners = [newJob(), newJob(), newJob()];
    const changing = Promise.all(Array.from({ length: 40 }, () => ana.completes(swim)));
    for (let time = 0; time < 5; time += 1) await Promise.all(runners.map((runner) => runner.run()));
    await changing;
    for (const runner of runners) await runner.run();
    expect(numbersOf(receiver)).toEqual(Array.from({ length: 41 }, (_, index) => index + 1));
  });

  it('waits while its account is suspended, or reminders are held after a restore', async () => {
    const { ana, database, gotAfter } = await hooked({}, ownDatabase());
    for (const [hold, letGo] of [
      [
        sql`update users set suspended_at = now() where id = ${ana.id}`,
        sql`update users set suspended_at = null where id = ${ana.id}`,
      ],
      [
        sql`insert into kept_values (name, value) values ('reminders', 'held')`,
        sql`delete from kept_values where name = 'reminders'`,
      ],
    ] as const) {
      await ana.hasTask();
      const before = await gotAfter(0, 200);
      await ana.hasTask();
      await hold.execute(database.query());
      expect(await gotAfter(0)).toEqual(before);
      await letGo.execute(database.query());
      expect(await gotAfter(0)).toHaveLength(before.length + 1);
    }
  });

  it("is nobody else's: its id is unknown to others", async () => {
    const { ana, newUser, receiver, id } = await hooked();
    const ben = await newUser();
    await hook(ben, receiver.url);
    for (const mutation of [
      `updateWebhook(input: { id: "${id}", name: "Mine" }) { webhook { id } }`,
      `deleteWebhook(id: "${id}") { webhookId }`,
      `testWebhook(id: "${id}") { webhook { id } }`,
      `resumeWebhook(id: "${id}") { webhook { id } }`,
    ])
      expect(await reasonOf(ben, `mutation { ${mutation} }`), mutation).toBe('NOT_FOUND');
    expect([receiver.taken, await webhooksOf(ana)]).toMatchObject([[], [{ id, name: 'Here' }]]);
  });

  it('is for sessions only, at most ten, and none where the operator allows none', async () => {
    const { ana, receiver } = await sending();
    const { createApiToken } = await ana.query(
      'mutation { createApiToken(input: { name: "x", scopes: [READ, PROFILE] }) { token } }',
    );
    const input = { url: receiver.url, name: 'x' };
    const script = ana.rest.as(createApiToken.token);
    for (const query of ['{ me { webhooks { id } } }', CREATE])
      expect((await script.ask(query, { input })).errors[0].extensions.reason).toBe('SCOPE_MISSING');
    for (let made = 0; made < 10; made += 1) await hook(ana, receiver.url);
    expect(await reasonOf(ana, CREATE, { input })).toBe('LIMIT_REACHED');
    const wrong = { input: { ...input, url: 'http://10.0.0.1' } };
    expect(await reasonOf(ana, CREATE, wrong)).toBe('ADDRESS_REFUSED');
    expect(await reasonOf(await (await world()).newUser(), CREATE, { input })).toBe('WEBHOOKS_OFF');
  });
});
