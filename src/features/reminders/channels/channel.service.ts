import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Clock } from '../../../base/clock.js';
import { invalid, limitReached, missing, tooManyAtOnce } from '../../../base/errors.js';
import { languageFor, tagOf } from '../../../base/languages/choice.js';
import type { Caller } from '../../../base/scopes.js';
import type { Database } from '../../../database/database.js';
import type { AccountService } from '../../account/account.service.js';
import { AttemptCounts, keyOf } from '../../account/attempt-counts.js';
import { UUID } from '../../account/tokens.js';
import { messageTexts } from '../texts/index.js';
import type { ChannelKind } from './channel.entity.js';
import type { AddChannelInput } from './channel.input.js';
import {
  type ChannelRow,
  type ChannelTables,
  channelsOf,
  channelToTry,
  deleteChannel,
  insertChannel,
  type NewChannel,
  noteFailure,
  noteTaken,
  renewPush,
} from './channel.queries.js';
import { channelLimits } from './limits.js';
import { isPushEndpoint } from './push.js';
import type { Senders } from './senders.js';

/** A test waits for the receiver. */
const TEST_MS = 30_000;

/** The devices and services of users that reminders are sent to. */
export class ChannelService {
  private readonly counts: AttemptCounts;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly accounts: AccountService,
    private readonly senders: Senders,
    private readonly log: Logger,
  ) {
    this.counts = new AttemptCounts(database, clock);
  }

  /** What this service can send. */
  async offered(): Promise<{ kinds: ChannelKind[]; pushKey: string | null }> {
    return { kinds: [...this.senders.kinds], pushKey: await this.senders.pushKey() };
  }

  ofUser(userId: string): Promise<ChannelRow[]> {
    return this.database.run(channelsOf, { userId });
  }

  /** The endpoint of a browser that has a channel already is that channel. */
  async add(caller: Caller, input: AddChannelInput): Promise<ChannelRow> {
    const { userId } = caller;
    const channel = this.channelFrom(userId, input);
    if (!this.senders.of(channel.kind)) throw cannotSend();
    const added = await this.database.transaction(async (tx) => {
      const query = tx.getKysely<ChannelTables>();
      await this.accounts.requireSession(query, caller);
      await this.accounts.lock(query, userId);
      const renewed = channel.kind === 'PUSH' ? (await renewPush(query, channel)).rows[0] : undefined;
      return renewed ?? (await insertChannel(query, channel, channelLimits.channels)).rows[0];
    });
    if (!added) throw tooManyChannels();
    return added;
  }

  async delete(userId: string, id: string): Promise<void> {
    const query = this.database.query<ChannelTables>();
    const { rows } = UUID.test(id) ? await deleteChannel(query, { userId, id }) : { rows: [] };
    if (rows.length === 0) throw noChannel();
  }

  /** Sends a message now, to see whether it arrives. */
  async test(
    userId: string,
    id: string,
  ): Promise<{ isDelivered: boolean; error: string | null; channel: ChannelRow }> {
    this.database.allowTime(TEST_MS);
    const query = this.database.query<ChannelTables>();
    const now = this.clock.now();
    const { rows } = UUID.test(id) ? await channelToTry(query, { userId, id }) : { rows: [] };
    const [found] = rows;
    if (!found) throw noChannel();
    const sender = this.senders.of(found.kind);
    if (!sender) throw cannotSend();
    await this.countTest(userId);
    const { language } = await this.accounts.get(userId);
    const chosen = languageFor(language);
    const texts = messageTexts[chosen];
    const notice = { id: randomUUID(), title: texts.testTitle, text: texts.test, language: tagOf(chosen) };
    const delivery = await sender.send(found, { ...notice, taskIds: [], day: '' });
    if (!delivery.taken) {
      const { error, cause = error } = delivery;
      this.log.warn({ channel: id, kind: found.kind, reason: cause }, 'A test of a channel was not taken');
    }
    const after = delivery.taken
      ? (await noteTaken(query, { userId, id }, now)).rows[0]
      : await noteFailure(query, { userId, id }, { now, ...delivery });
    return {
      isDelivered: delivery.taken,
      error: delivery.taken ? null : delivery.error,
      channel: after ?? found,
    };
  }

  /** Tests are counted for the user, since a channel can be removed and added again. */
  private async countTest(userId: string): Promise<void> {
    const { most, minutes } = channelLimits.channelTests;
    const { isAccountFine } = await this.counts.count({
      ofAddress: keyOf('tests of channels', userId),
      ofAccount: keyOf('tests of channels of account', userId),
      ...{ mostOfAddress: most, mostOfAccount: most, window: minutes * 60 },
    });
    if (!isAccountFine) throw tooManyTests();
  }

  private channelFrom(userId: string, { name, receiver }: AddChannelInput): NewChannel {
    const { push, ntfy, apprise } = receiver;
    const made = { id: randomUUID(), userId, name, state: 'WORKING' as const, createdAt: this.clock.now() };
    const without = { p256dh: null, auth: null, token: null };
    if (push) {
      const { endpoint: address, p256dh, auth } = push;
      if (this.senders.push && !isPushEndpoint(address, this.senders.pushHosts))
        throw invalid('The endpoint is not that of a push service that is known here', 'receiver');
      return { ...made, ...without, kind: 'PUSH', host: hostOf(address), address, p256dh, auth };
    }
    if (ntfy)
      return {
        ...made,
        ...without,
        ...{ kind: 'NTFY', host: 'ntfy', address: ntfy.topic, token: ntfy.token ?? null },
      };
    return { ...made, ...without, kind: 'APPRISE', host: 'apprise', address: apprise?.urls ?? '' };
  }
}

const hostOf = (address: string) => (URL.canParse(address) ? new URL(address).host : '');

const noChannel = () => missing('Channel');

const cannotSend = () =>
  invalid('This service cannot send that: its operator has not set it up', 'receiver', 'CHANNEL_UNAVAILABLE');

const tooManyChannels = () => limitReached(`You can have at most ${channelLimits.channels} channels`);

const tooManyTests = () =>
  tooManyAtOnce(
    `You can send at most ${channelLimits.channelTests.most} tests in ${channelLimits.channelTests.minutes} minutes`,
    channelLimits.channelTests.minutes * 60,
  );
