import { type Kysely, type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';
import { announceToAll } from '../../database/announcements/announcements.js';
import { type Columns, columnsOf, countUpTo, type Prefixed, type RowOf } from '../../database/columns.js';
import { topicOf } from '../../jobs/jobs.queries.js';
import { idOf } from '../event-feed/feed.cursor.js';
import { FeedEvent } from '../event-feed/feed.entity.js';
import type { FeedTables } from '../event-feed/feed.queries.js';
import { webhookLimits } from './limits.js';
import { Delivery, type DeliveryError, Webhook } from './webhook.entity.js';

export type WebhookTables = FeedTables & {
  webhooks: Columns<Webhook>;
  webhook_deliveries: Columns<Omit<Delivery, 'webhook'>>;
};

type Query = Kysely<WebhookTables>;

/** The kind of its jobs, of which each webhook has one as long as something waits for it. The function `tell` names it. */
export const WEBHOOK = 'webhook';

/** Without what signs, which is shown once. */
const webhookColumns = columnsOf(Webhook, 'secret', 'host', 'attempts', 'lastNumber', 'urlChangedAt');

export type WebhookRow = RowOf<typeof webhookColumns>;

const deliveryColumns = columnsOf(Delivery, 'webhook');

export type DeliveryRow = RowOf<typeof deliveryColumns>;

export interface OfWebhook {
  userId: string;
  id: string;
}

/** Oldest first, of each of some users. */
export const webhooksOf = (query: Query, userIds: readonly string[]): Promise<WebhookRow[]> =>
  query
    .selectFrom('webhooks')
    .where(sql<boolean>`user_id = any(${userIds}::uuid[])`)
    .select(webhookColumns.of('webhooks'))
    .orderBy('created_at')
    .orderBy('id')
    .execute();

export type NewWebhook = Pick<
  Webhook,
  'id' | 'userId' | 'name' | 'url' | 'host' | 'secret' | 'kinds' | 'createdAt'
>;

/** Under the lock of the account. It begins where the feed ends by then. Returns no row if the user has as many already. */
export async function insertWebhook(query: Query, webhook: NewWebhook): Promise<WebhookRow | undefined> {
  const { id, userId, name, url, host, secret, kinds, createdAt } = webhook;
  await lockFeed(query, userId);
  const { rows } = await sql<WebhookRow>`
    insert into webhooks (id, user_id, name, url, host, secret, kinds, state, last_number, created_at)
    select ${id}::uuid, feed.user_id, ${name}::text, ${url}::text, ${host}::text, ${secret}::text, ${kinds}::text[], 'ACTIVE',
      feed.last_number, ${createdAt}::timestamptz
    from event_feeds feed, ${countUpTo('webhooks', userId, webhookLimits.webhooks)}
    where feed.user_id = ${userId}::uuid and counted.rows < ${webhookLimits.webhooks}
    returning ${webhookColumns.textOf('webhooks')}`.execute(query);
  return rows[0];
}

/** Whoever tells of a change, or finds that nothing waits, has this lock. Returns the number of the last event. */
export async function lockFeed(query: Query, userId: string): Promise<number> {
  const found = await query
    .selectFrom('event_feeds')
    .where('user_id', '=', userId)
    .select('last_number')
    .forNoKeyUpdate()
    .executeTakeFirst();
  return found?.last_number ?? 0;
}

export type WebhookChanges = Partial<Pick<Webhook, 'name' | 'url' | 'host' | 'kinds'>>;

/** What is undefined stays. What waits goes on in the lane of the new host. */
export async function updateWebhook(
  query: Query,
  { userId, id }: OfWebhook,
  changes: WebhookChanges,
  now: Date,
): Promise<WebhookRow | undefined> {
  const { name, url, host, kinds } = changes;
  // What was told before, and was not wanted, is not sent because more is wanted from now on.
  if (kinds !== undefined) await passIfNoneWaits(query, { userId, id }, await lockFeed(query, userId));
  const { rows } = await sql<WebhookRow>`
    update webhooks set
      name = coalesce(${name ?? null}::text, name), url = coalesce(${url ?? null}::text, url),
      url_changed_at = case when ${url ?? null}::text <> url then ${now}::timestamptz else url_changed_at end,
      host = coalesce(${host ?? null}::text, host),
      kinds = case when ${kinds === undefined} then kinds else ${kinds ?? null}::text[] end
    where user_id = ${userId}::uuid and id = ${id}::uuid
    returning ${webhookColumns.textOf('webhooks')}`.execute(query);
  if (host !== undefined)
    await sql`
      update jobs set lane = ${host}::text where kind = ${WEBHOOK} and key = ${id} and user_id = ${userId}::uuid
    `.execute(query);
  return rows[0];
}

/** With what waits for it. */
export async function deleteWebhook(query: Query, { userId, id }: OfWebhook): Promise<boolean> {
  const { rows } = await sql`
    with waiting as (delete from jobs where kind = ${WEBHOOK} and key = ${id} and user_id = ${userId}::uuid)
    delete from webhooks where user_id = ${userId}::uuid and id = ${id}::uuid returning 1`.execute(query);
  return rows.length > 0;
}

export const hasWebhooks = async (query: QueryExecutorProvider, userId: string): Promise<boolean> => {
  const { rows } = await sql`select from webhooks where user_id = ${userId}::uuid limit 1`.execute(query);
  return rows.length > 0;
};

/** As it is to be called. */
export type Callee = Pick<
  Webhook,
  'id' | 'userId' | 'url' | 'secret' | 'state' | 'attempts' | 'lastNumber' | 'failingSince'
>;

const calleeColumns = columnsOf(
  Webhook,
  ...(['name', 'host', 'kinds', 'lastDeliveredAt', 'urlChangedAt', 'createdAt'] as const),
);

export async function calleeOf(query: Query, { userId, id }: OfWebhook): Promise<Callee | undefined> {
  const { rows } = await sql<Callee>`
    select ${calleeColumns.textOf('webhooks')} from webhooks where user_id = ${userId}::uuid and id = ${id}::uuid
  `.execute(query);
  return rows[0];
}

const eventColumns = columnsOf(FeedEvent, 'id');

/** The receiver says that it will not take this one. */
export const NEVER_TAKEN = [400, 422];

/** A webhook with the oldest event that it wants and that is not sent. Undefined if the webhook is gone. */
export async function nextFor(
  query: Query,
  { userId, id }: OfWebhook,
): Promise<{ callee: Callee; event: FeedEvent | undefined; refusals: number } | undefined> {
  const { rows } = await sql<Found>`
    select ${calleeColumns.textOf('webhook', 'webhook.')}, ${eventColumns.textOf('event', 'event.')}, feed.word, (
      select count(*)::int from webhook_deliveries tried
      where tried.webhook_id = webhook.id and tried.number = event.number and tried.status = any(${NEVER_TAKEN}::int[])
    ) as refusals
    from webhooks webhook join event_feeds feed on feed.user_id = webhook.user_id left join lateral (
      select * from events
      where events.user_id = ${userId}::uuid and events.number > webhook.last_number
        and (webhook.kinds is null or events.kind = any(webhook.kinds))
      order by events.number limit 1
    ) event on true
    where webhook.user_id = ${userId}::uuid and webhook.id = ${id}::uuid`.execute(query);
  const [row] = rows;
  if (!row) return undefined;
  const event = eventColumns.from(row, 'event.');
  const callee = calleeColumns.from(row, 'webhook.');
  return {
    callee,
    refusals: row.refusals,
    event: event.number === null ? undefined : { ...event, id: idOf(row.word, event.number) },
  };
}

type Found = Prefixed<RowOf<typeof calleeColumns>, 'webhook.'> &
  Prefixed<RowOf<typeof eventColumns>, 'event.'> & { word: string; refusals: number };

/** What became of a try. */
export interface Tried {
  /** Null of a test. */
  number: number | null;
  at: Date;
  attempt: number;
  status: number | null;
  error: DeliveryError | null;
}

/** Of a webhook that is there, as `webhook`. */
const insertDelivery = ({ number, at, attempt, status, error }: Tried, webhook: RawBuilder<unknown>) => sql`
  insert into webhook_deliveries (user_id, webhook_id, number, at, attempt, status, error)
  select user_id, id, ${number}::int, ${at}::timestamptz, ${attempt}::int, ${status}::int, ${error}::text
  from ${webhook}`;

const surplusOf = ({ userId, id }: OfWebhook) => sql`
  delete from webhook_deliveries where user_id = ${userId}::uuid and id in (
    select id from webhook_deliveries where webhook_id = ${id}::uuid
    order by id desc offset ${sql.lit(webhookLimits.deliveries - 1)}
  )`;

export const noteTest = (query: QueryExecutorProvider, webhook: OfWebhook, tried: Tried) => {
  const { userId, id } = webhook;
  const there = sql`webhooks where user_id = ${userId}::uuid and id = ${id}::uuid for key share`;
  return sql`with surplus as (${surplusOf(webhook)}) ${insertDelivery(tried, there)}`.execute(query);
};

/** What a try makes of its webhook. */
export interface After {
  state: Webhook['state'];
  /** Up to where all is sent, or passed over. */
  lastNumber: number;
  attempts: number;
  failingSince: Date | null;
  isTaken: boolean;
}

/**
 * Unless another process has got further meanwhile, or it was resumed elsewhere, which is then what counts. Returns
 * whether this one counts.
 */
export async function noteTry(
  query: QueryExecutorProvider,
  callee: Callee,
  tried: Tried,
  { state, lastNumber, attempts, failingSince, isTaken }: After,
): Promise<boolean> {
  const { rows } = await sql`
    with webhook as (
      update webhooks set state = ${state}, last_number = ${lastNumber}::int, attempts = ${attempts}::int,
        failing_since = ${failingSince}::timestamptz,
        last_delivered_at = case when ${isTaken} then ${tried.at}::timestamptz else last_delivered_at end
      where user_id = ${callee.userId}::uuid and id = ${callee.id}::uuid and last_number = ${callee.lastNumber}
        and attempts = ${callee.attempts} and state = ${callee.state}
      returning user_id, id
    ), surplus as (${surplusOf(callee)}), delivery as (${insertDelivery(tried, sql`webhook`)})
    select 1 from webhook`.execute(query);
  return rows.length > 0;
}

/** Nothing up to there waits. */
export const passUnwanted = (query: QueryExecutorProvider, { userId, id }: OfWebhook, last: number) =>
  sql`
    update webhooks set last_number = greatest(last_number, ${last}::int)
    where user_id = ${userId}::uuid and id = ${id}::uuid`.execute(query);

const passIfNoneWaits = (query: QueryExecutorProvider, { userId, id }: OfWebhook, last: number) =>
  sql`
    update webhooks set last_number = greatest(last_number, ${last}::int)
    where user_id = ${userId}::uuid and id = ${id}::uuid and state = 'ACTIVE'
      and not exists (select from jobs where kind = ${WEBHOOK} and key = ${id})`.execute(query);

/** Goes on with what follows a number, at once. */
export async function resumeWebhook(
  query: Query,
  { userId, id }: OfWebhook,
  { after, now }: { after: number; now: Date },
): Promise<WebhookRow | undefined> {
  const { rows } = await sql<WebhookRow>`
    update webhooks set state = 'ACTIVE', last_number = ${after}::int, attempts = 0, failing_since = null
    where user_id = ${userId}::uuid and id = ${id}::uuid
    returning ${webhookColumns.textOf('webhooks')}`.execute(query);
  // Another one: that which waits may be put away by a process that has it still.
  await sql`delete from jobs where kind = ${WEBHOOK} and key = ${id} and user_id = ${userId}::uuid`.execute(
    query,
  );
  await sql`
    insert into jobs (id, kind, key, user_id, lane, payload, created_at, run_at)
    select gen_random_uuid(), ${WEBHOOK}, id::text, user_id, host, '{}', ${now}::timestamptz, ${now}::timestamptz
    from webhooks where user_id = ${userId}::uuid and id = ${id}::uuid
    on conflict (kind, key) do nothing`.execute(query);
  await sql`select ${announceToAll(topicOf(WEBHOOK), sql`${userId}::uuid`, sql`null`)}`.execute(query);
  return rows[0];
}

/** Newest first. */
export function deliveriesOf(
  query: Query,
  webhookIds: readonly string[],
  most: number,
): Promise<(DeliveryRow & { event: FeedEvent | null })[]> {
  return sql<
    Prefixed<DeliveryRow, 'delivery.'> & Prefixed<RowOf<typeof eventColumns>, 'event.'> & { word: string }
  >`
    select ${deliveryColumns.textOf('delivery', 'delivery.')}, ${eventColumns.textOf('event', 'event.')}, feed.word
    from unnest(${webhookIds}::uuid[]) as webhook (id) cross join lateral (
      select * from webhook_deliveries where webhook_id = webhook.id order by id desc limit ${most}::int
    ) delivery
    join event_feeds feed on feed.user_id = delivery.user_id
    left join events event on event.user_id = delivery.user_id and event.number = delivery.number
    order by delivery.id desc`
    .execute(query)
    .then(({ rows }) =>
      rows.map((row) => {
        const event = eventColumns.from(row, 'event.');
        const delivery = deliveryColumns.from(row, 'delivery.');
        return {
          ...delivery,
          event: event.number === null ? null : { ...event, id: idOf(row.word, event.number) },
        };
      }),
    );
}
