import type { Clock } from '../../../base/clock.js';
import type { Config } from '../../../base/config.js';
import type { OidcProvider } from '../identity.payloads.js';
import type { Starter } from '../identity.service.js';
import { Flows } from './flow.js';
import { Provider, providerSettings } from './provider.js';

/** Tells the scheme and the host that a client has asked. */
type Origin = () => string;

/** The provider, and how people get there. */
export interface OidcEntry {
  provider: Provider;
  flows: Flows;
  /** Where a flow begins that belongs to a session. */
  connectUrl: (caller: Starter, origin: Origin) => string;
  listed: (origin: Origin) => OidcProvider[];
}

/** Undefined where no provider is set up. */
export function oidcOf({
  config,
  secret,
  clock,
}: {
  config: Config;
  secret: string;
  clock: Clock;
}): OidcEntry | undefined {
  const settings = providerSettings(config);
  if (!settings) return undefined;
  const provider = new Provider(settings, clock);
  const flows = new Flows(secret, clock);
  const urlFrom = (origin: Origin) => `${config.publicUrl ?? origin()}/auth/oidc`;
  return {
    provider,
    flows,
    connectUrl: ({ userId, tokenId }, origin) =>
      `${urlFrom(origin)}?connect=${flows.starts.seal({ userId, tokenId })}`,
    listed: (origin) => {
      const url = urlFrom(origin);
      const signOutUrl = provider.canSignOut ? `${url}/sign-out` : null;
      return [{ id: 'oidc', name: settings.name, url, signOutUrl }];
    },
  };
}
