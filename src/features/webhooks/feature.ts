import type { QueryExecutorProvider } from 'kysely';
import { feature } from '../../feature.js';
import type { Account } from '../account/feature.js';
import type { EventFeedServices } from '../event-feed/feature.js';
import { Caller } from './call.js';
import { webhookReasons } from './reasons.js';
import { webhookSettings } from './settings.js';
import { webhookMetrics } from './topics.js';
import { Delivery, Webhook } from './webhook.entity.js';
import { WebhookJob } from './webhook.job.js';
import { DeliveryFields, UserWebhooks, WebhookFields, WebhookResolver } from './webhook.resolver.js';
import { WebhookService } from './webhook.service.js';

/** Who tells the account of its webhooks, in the transaction that sets an address or pauses one; undefined where nobody does. */
export interface WebhookEvents {
  webhookSet(query: QueryExecutorProvider, userId: string): Promise<void>;
  webhookPaused(query: QueryExecutorProvider, userId: string): Promise<void>;
}

interface Needs extends Account, EventFeedServices {
  notified: WebhookEvents | undefined;
}

export const webhooks = feature({
  settings: webhookSettings,
  reasons: webhookReasons,
  entities: [Webhook, Delivery],
  metrics: webhookMetrics,
  build(base, { accounts, feed, notified }: Needs) {
    const { config, database, clock } = base;
    const hosts = config.webhookHosts;
    const caller = hosts && new Caller(hosts);
    const service = new WebhookService(database, clock, accounts, feed, {
      ...{ hosts, caller },
      set: async (query, userId) => notified?.webhookSet(query, userId),
    });
    const job =
      caller && new WebhookJob(base, caller, async (query, userId) => notified?.webhookPaused(query, userId));
    return {
      resolvers: [
        new WebhookResolver(service, accounts),
        new UserWebhooks(service),
        new WebhookFields(service),
        new DeliveryFields(),
      ],
      jobs: { byLeader: job ? [job.runner] : [] },
      stop: async () => caller?.close(),
    };
  },
});
