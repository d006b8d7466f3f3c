import { randomBytes, randomUUID } from 'node:crypto';
import type { QueryExecutorProvider } from 'kysely';
import type { Clock } from '../../base/clock.js';
import { invalid, limitReached, missing, tooManyAtOnce } from '../../base/errors.js';
import type { Caller as Asking } from '../../base/scopes.js';
import type { Database } from '../../database/database.js';
import type { AccountService } from '../account/account.service.js';
import { AttemptCounts, keyOf } from '../account/attempt-counts.js';
import { UUID } from '../account/tokens.js';
import { assertFollows, cursorIn } from '../event-feed/feed.cursor.js';
import type { FeedEvent } from '../event-feed/feed.entity.js';
import { insertFeed } from '../event-feed/feed.queries.js';
import type { FeedService } from '../event-feed/feed.service.js';
import { isRefused, type WebhookHosts } from './address.js';
import type { Caller } from './call.js';
import { webhookLimits } from './limits.js';
import { SECRET_PREFIX, testMessage } from './message.js';
import type { CreateWebhookInput, UpdateWebhookInput } from './webhook.input.js';
import {
  calleeOf,
  type DeliveryRow,
  deleteWebhook,
  deliveriesOf,
  hasWebhooks,
  insertWebhook,
  noteTest,
  resumeWebhook,
  updateWebhook,
  type WebhookRow,
  type WebhookTables,
  webhooksOf,
} from './webhook.queries.js';

/** Standard Webhooks asks for 24 to 64 bytes. */
const SECRET_BYTES = 32;

/** A test waits for the receiver. */
const TEST_MS = 30_000;

interface Settings {
  /** Undefined where the operator allows none. */
  hosts: WebhookHosts | undefined;
  caller: Caller | undefined;
  /** Is told of an address that was set, of a new one or of one from before, in the same transaction. */
  set: (query: QueryExecutorProvider, userId: string) => Promise<void>;
}

export class WebhookService {
  private readonly counts: AttemptCounts;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly accounts: AccountService,
    private readonly feed: FeedService,
    private readonly settings: Settings,
  ) {
    this.counts = new AttemptCounts(database, clock);
  }

  /** Turns the feed on with the first. The secret is shown here and never again. */
  async create(
    asking: Asking,
    { url, name, kinds = null }: CreateWebhookInput,
  ): Promise<{ webhook: WebhookRow; secret: string }> {
    const host = this.hostOf(url);
    const { userId } = asking;
    const secret = randomBytes(SECRET_BYTES).toString('base64');
    const createdAt = this.clock.now();
    const webhook = await this.database.transaction(async (tx) => {
      const query = tx.getKysely<WebhookTables>();
      await this.accounts.requireSession(query, asking);
      await insertFeed(query, userId);
      const made = await insertWebhook(query, {
        ...{ id: randomUUID(), userId, name, url, host, secret, kinds, createdAt },
      });
      if (!made) throw limitReached(`You can have at most ${webhookLimits.webhooks} webhooks`);
      await this.settings.set(query, userId);
      return made;
    });
    return { webhook, secret: `${SECRET_PREFIX}${secret}` };
  }

  async update(asking: Asking, { id, url, name, kinds }: UpdateWebhookInput): Promise<WebhookRow> {
    const host = url === undefined ? undefined : this.hostOf(url);
    const { userId } = asking;
    const changes = {
      ...(url !== undefined && host !== undefined && { url, host }),
      ...(name !== undefined && { name }),
      ...(kinds !== undefined && { kinds }),
    };
    return this.found(id, () =>
      this.database.transaction(async (tx) => {
        const query = tx.getKysely<WebhookTables>();
        await this.accounts.requireSession(query, asking);
        const before = await calleeOf(query, { userId, id });
        const webhook = await updateWebhook(query, { userId, id }, changes, this.clock.now());
        if (webhook && webhook.url !== before?.url) await this.settings.set(query, userId);
        return webhook;
      }),
    );
  }

  async delete(userId: string, id: string): Promise<void> {
    await this.found(id, async () => (await deleteWebhook(this.query(), { userId, id })) || undefined);
  }

  /** Goes on where it stood, or after a cursor. */
  async resume(userId: string, id: string, after: string | null | undefined): Promise<WebhookRow> {
    const callee = await this.found(id, () => calleeOf(this.query(), { userId, id }));
    const cursor = typeof after === 'string' ? cursorIn(after) : { number: callee.lastNumber };
    assertFollows(cursor, await this.feed.read(userId, undefined, 0));
    const now = this.clock.now();
    return this.found(id, () =>
      this.database.transaction((tx) =>
        resumeWebhook(tx.getKysely<WebhookTables>(), { userId, id }, { after: cursor.number, now }),
      ),
    );
  }

  /** Sends a message now, whatever the state. What became of it is the newest delivery. */
  async test(userId: string, id: string): Promise<WebhookRow> {
    const caller = this.callerOrRefuse();
    this.database.allowTime(TEST_MS);
    const callee = await this.found(id, () => calleeOf(this.query(), { userId, id }));
    await this.countTest(userId);
    const now = this.clock.now();
    const { status, error } = await caller.call(callee, testMessage(randomUUID(), userId, now), now);
    await noteTest(this.query(), callee, { number: null, at: this.clock.now(), attempt: 1, status, error });
    return this.found(id, async () => (await this.ofUsers([userId])).find((each) => each.id === id));
  }

  ofUsers(userIds: readonly string[]): Promise<WebhookRow[]> {
    return webhooksOf(this.query(), userIds);
  }

  deliveries(ids: readonly string[], most: number): Promise<(DeliveryRow & { event: FeedEvent | null })[]> {
    return deliveriesOf(this.query(), ids, most);
  }

  private callerOrRefuse(): Caller {
    if (!this.settings.caller) throw webhooksOff();
    return this.settings.caller;
  }

  private hostOf(url: string): string {
    const { hosts } = this.settings;
    if (!hosts) throw webhooksOff();
    if (isRefused(hosts, url)) throw addressRefused();
    return new URL(url).host;
  }

  private async found<Row>(id: string, find: () => Promise<Row | undefined>): Promise<Row> {
    const found = UUID.test(id) ? await find() : undefined;
    if (found === undefined) throw missing('Webhook');
    return found;
  }

  private async countTest(userId: string): Promise<void> {
    const { most, minutes } = webhookLimits.tests;
    const { isAccountFine } = await this.counts.count({
      ofAddress: keyOf('tests of webhooks', userId),
      ofAccount: keyOf('tests of webhooks of account', userId),
      ...{ mostOfAddress: most, mostOfAccount: most, window: minutes * 60 },
    });
    if (!isAccountFine)
      throw tooManyAtOnce(`You can send at most ${most} tests in ${minutes} minutes`, minutes * 60);
  }

  private query() {
    return this.database.query<WebhookTables>();
  }
}

const webhooksOff = () =>
  invalid('The operator of this service allows no webhooks', undefined, 'WEBHOOKS_OFF');

const addressRefused = () => invalid('The service sends nothing to this address', 'url', 'ADDRESS_REFUSED');

/** For the transaction that turns the feed off, under the lock of the account. */
export async function refuseWithWebhooks(query: QueryExecutorProvider, userId: string): Promise<void> {
  if (await hasWebhooks(query, userId))
    throw invalid('The feed feeds webhooks: delete them first', 'eventFeed', 'HAS_WEBHOOKS');
}
