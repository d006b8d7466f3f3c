import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../support/eventually.js';
import { people } from '../support/people.js';
import { startService } from '../support/process.js';
import { PushService, Receiver, type Taken } from '../support/receivers.js';
import { withServer } from '../support/with-server.js';
import { SECRET } from '../support/world.js';

const ROUNDS = Number(process.env.KILL_ROUNDS ?? 20);
const PEOPLE = 1_000;
const KINDS = ['NTFY', 'PUSH', 'APPRISE'] as const;
type Kind = (typeof KINDS)[number];

/** A lease is over by the clock of whoever starts after a kill. */
const AHEAD_MS = 61_000;

/** What one process has under way at most. */
const UNDER_WAY = 32;

const kindOf = (person: number): Kind => KINDS[person % 3] ?? 'NTFY';

const reminded = `${people(PEOPLE)}, habits as (
    insert into tasks (id, user_id, title, points, is_daily_routine, completion_count, created_at, updated_at)
    select 2 * i + each, id, (array['Swim', 'Floss'])[each + 1], 10, false, 0, now(), now()
    from numbers, generate_series(0, 1) each
  ), asked as (
    insert into reminders (id, user_id, task_id, minute, weekdays, next_at)
    select gen_random_uuid(), id, 2 * i + each, 480, 127, 'infinity' from numbers, generate_series(0, 1) each
  )
  insert into channels (id, user_id, kind, name, host, address, p256dh, auth, state, created_at)
  select gen_random_uuid(), id, kind, 'It', host, address, p256dh, auth, 'WORKING', now()
  from numbers, unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
    as given (person, kind, host, address, p256dh, auth)
  where person = i`;

/** By person: the marks of the messages that arrived, which tell whether a repetition replaces what is shown. */
function marksOf({ ntfy, push, apprise }: Record<'ntfy' | 'push' | 'apprise', Taken[]>) {
  const marks = new Map<string, string[]>();
  const note = (address: string, mark: string) => marks.set(address, [...(marks.get(address) ?? []), mark]);
  for (const { body } of ntfy) note(body.topic, body.sequence_id);
  for (const { path, body } of push) note(path, body.notification.tag);
  for (const { body } of apprise) note(body.urls, '');
  return marks;
}

describe('Two processes, of which one is killed while they ring', () => {
  const server = withServer({ max_connections: '100' });

  it(`lose nothing and repeat nothing that can be seen, ${ROUNDS} times`, {
    timeout: 3_600_000,
  }, async () => {
    const [ntfy, apprise, push] = [
      await new Receiver().start(),
      await new Receiver().start(),
      await PushService.start(),
    ];
    const receivers = { ntfy, apprise, push };
    const DATABASE_URL = await server.newDatabase();
    const direct = new pg.Client(DATABASE_URL);
    await direct.connect();
    onTestFinished(() => direct.end());
    const given = Array.from({ length: PEOPLE }, (_, index) => {
      const kind = kindOf(index + 1);
      const { endpoint, p256dh, auth } = push.browser().input;
      const address = { NTFY: `topic-${index}`, PUSH: endpoint, APPRISE: `json://${index}` }[kind];
      const host = { NTFY: 'ntfy', PUSH: new URL(endpoint).host, APPRISE: 'apprise' }[kind];
      return kind === 'PUSH'
        ? [index + 1, kind, host, address, p256dh, auth]
        : [index + 1, kind, host, address, null, null];
    });
    await direct.query(
      reminded,
      [0, 1, 2, 3, 4, 5].map((column) => given.map((row) => row[column])),
    );
    const addressOf = (row: unknown[]) =>
      row[1] === 'PUSH' ? new URL(String(row[3])).pathname : String(row[3]);

    let ahead = 0;
    const start = () =>
      startService({
        DATABASE_URL,
        JWT_SECRET: SECRET,
        PUBLIC_URL: 'https://habits.example.com',
        NTFY_URL: ntfy.url,
        APPRISE_URL: apprise.url,
        PUSH_HOSTS: new URL(push.url).host,
        NODE_EXTRA_CA_CERTS: push.certificateFile,
        NODE_OPTIONS: `--import=${new URL('../chaos/clock-ahead.ts', import.meta.url)}`,
        CLOCK_AHEAD: String(ahead),
        REQUEST_TIMEOUT: '60000',
      });
    const taken = () => Object.values(receivers).reduce((sum, receiver) => sum + receiver.taken.length, 0);
    const left = `select (select count(*) from reminders where next_at <= $1)
      + (select count(*) from jobs where kind = 'reminder' and run_at is not null) as count`;
    const isOver = async () =>
      Number((await direct.query(left, [new Date(Date.now() + ahead)])).rows[0].count) === 0;

    const counts = { sent: 0, repeated: 0, appriseLost: 0 };
    for (let round = 1; round <= ROUNDS; round += 1) {
      for (const receiver of Object.values(receivers)) receiver.taken.length = 0;
      await direct.query('update reminders set next_at = $1', [new Date(Date.now() + ahead)]);
      const both = [start(), start()];
      await Promise.all(both.map((process) => process.listening()));
      const moment = Math.floor(Math.random() * PEOPLE);
      await eventually(() => taken() >= moment);
      const killed = Math.floor(Math.random() * 2);
      await both[killed]?.stop('SIGKILL');
      ahead += AHEAD_MS;
      const next = start();
      await next.listening();
      await eventually(isOver);
      await Promise.all([both[1 - killed]?.stop(), next.stop()]);

      const marks = marksOf({ ntfy: ntfy.taken, apprise: apprise.taken, push: push.taken });
      for (const row of given) {
        const found = marks.get(addressOf(row)) ?? [];
        const about = `round ${round}, killed after ${moment}: ${row[1]}`;
        if (row[1] === 'APPRISE') expect(found.length, about).toBeLessThanOrEqual(1);
        else expect(new Set(found).size, about).toBe(1);
        counts.sent += found.length;
        counts.repeated += Math.max(found.length - 1, 0);
        counts.appriseLost += row[1] === 'APPRISE' && found.length === 0 ? 1 : 0;
      }
      const texts = [
        ...ntfy.taken.map(({ body }) => body.message),
        ...push.taken.map(({ body }) => body.notification.body),
      ];
      expect(new Set(texts)).toEqual(new Set(['Swim, Floss']));
      expect(push.faults).toEqual([]);
    }
    expect(counts.appriseLost).toBeLessThanOrEqual(ROUNDS * UNDER_WAY);
    console.log(`${ROUNDS} kills: ${JSON.stringify(counts)}`);
  });
});
