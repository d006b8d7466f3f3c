import type { Place } from '../../feature.js';
import type { Meter } from '../../telemetry/meter.js';
import { Topic } from '../../telemetry/topic.js';

/** `refused`: the provider has let the person in, and this service has not. */
const outcomes = ['done', 'away', 'failed', 'denied', 'expired', 'refused'] as const;
export type ProviderLogIn = (typeof outcomes)[number];

export const topics = {
  /** How a log-in at the provider ended. */
  providerLogIns: new Topic<ProviderLogIn>(),
};

export function signInMetrics(meter: Meter, { config }: Pick<Place, 'config'>): void {
  if (config.oidcIssuer === undefined) return;
  const count = meter.counter(
    'steady_provider_logins_total',
    'Log-ins at the provider, by `outcome`: done; away, where it did not answer; failed, for a wrong client secret too; denied by the person or the provider; expired; refused by this service. Absent without OIDC_ISSUER.',
    {
      outcome: outcomes,
    },
  );
  topics.providerLogIns.follow((outcome) => count({ outcome }));
}
