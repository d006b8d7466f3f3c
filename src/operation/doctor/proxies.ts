import { type Config, isLoopback } from '../../base/config.js';
import { type Finding, ok, warning } from '../../base/finding.js';

/** Signs that requests come through a proxy. */
function signs({ publicPath, publicUrl, production, host }: Config): string[] {
  return [
    ...(publicPath ? ['PUBLIC_URL has a path, which a proxy serves'] : []),
    ...(production && isLoopback(host) && publicUrl !== undefined
      ? [`only this machine can reach HOST ${host}, and PUBLIC_URL is elsewhere`]
      : []),
  ];
}

export function proxyFinding(config: Config): Finding {
  const { trustProxy } = config;
  if (trustProxy === 0) return ok('TRUST_PROXY is 0: no proxy is believed');
  if (trustProxy !== undefined) {
    const named = Array.isArray(trustProxy) ? trustProxy.join(', ') : `${trustProxy} before this process`;
    return ok(`those believed about addresses: ${named}`);
  }
  const found = signs(config);
  if (found.length === 0) return ok('none is believed, and there is no sign of one');
  return warning(
    `TRUST_PROXY is not set, but there is a sign of a proxy: ${found.join('; ')}. Everybody behind it counts as one address, and shares its failed log-ins`,
    'Set TRUST_PROXY to the number of proxies before the service, or to their addresses; to 0 if there is none.',
  );
}
