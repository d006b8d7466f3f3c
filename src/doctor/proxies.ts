import { type Config, isLoopback } from '../config.js';
import { type Finding, ok, warning } from './finding.js';

const ABOUT = 'proxies';

const SET_TRUST_PROXY =
  'Set TRUST_PROXY to the number of proxies before the service, or to their addresses; to 0 if there is none.';

/** Signs that requests come through a proxy. */
function signs({ publicPath, production, host }: Config): string[] {
  return [
    ...(publicPath ? ['PUBLIC_PATH is set, which a proxy serves'] : []),
    ...(production && isLoopback(host) ? [`only this machine can reach HOST ${host}`] : []),
  ];
}

export function proxyFinding(config: Config): Finding {
  const { trustProxy } = config;
  const found = signs(config);
  if (trustProxy === 0) return ok(ABOUT, 'TRUST_PROXY is 0: no proxy is believed');
  if (trustProxy !== undefined) {
    const named = Array.isArray(trustProxy) ? trustProxy.join(', ') : `${trustProxy} before this process`;
    return ok(ABOUT, `those believed about addresses: ${named}`);
  }
  if (found.length === 0) return ok(ABOUT, 'none is believed, and there is no sign of one');
  return warning(
    ABOUT,
    `TRUST_PROXY is not set, but there is a sign of a proxy: ${found.join('; ')}. Everybody behind it counts as one address, and shares its failed log-ins`,
    SET_TRUST_PROXY,
  );
}
