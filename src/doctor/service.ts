import type { Config } from '../config.js';
import { askReadiness, PATIENCE, readinessUrl } from '../startup/readiness.js';
import { ABOUT_BACKUPS, isNewToService } from './backups.js';
import { type Finding, ok, warning, wrong } from './finding.js';
import { SET_TRUST_PROXY } from './proxies.js';

interface Ready {
  status?: string;
  backup?: { isOverdue?: boolean };
  proxy?: string;
}

/** Asks whoever listens on the configured port; nobody need. */
export async function serviceFindings(config: Config, now: Date): Promise<Finding[]> {
  const about = 'service';
  if (config.port === 0) return [ok(about, 'PORT is 0: where it listens, only its log says')];
  const address = readinessUrl(config);
  let answer: Awaited<ReturnType<typeof askReadiness>>;
  try {
    answer = await askReadiness(address);
  } catch (error) {
    const isSilent = /^(AbortError|TimeoutError)$/.test((error as Error).name);
    if (!isSilent) return [ok(about, `none answers at ${address}`)];
    const fix = 'If it is this service, it is overloaded or hangs: see its log.';
    return [wrong(about, `something listens at ${address}, but answered nothing within ${PATIENCE} ms`, fix)];
  }
  if (answer.status === 503) {
    const fix = 'See its log: it is stopping, or its database does not answer.';
    return [wrong(about, `${address} answers that it is not ready`, fix)];
  }
  const ready = readyIn(answer.body);
  if (answer.status !== 200 || ready.status !== 'ready') return [stranger(address, answer.status)];
  const isOverdue = ready.backup?.isOverdue === true && !(await isNewToService(config, now));
  return [ok(about, `ready at ${address}`), ...toldBy(ready, isOverdue, address)];
}

/** What a service knows of itself. */
function toldBy({ proxy }: Ready, isOverdue: boolean, address: string): Finding[] {
  const overdue = wrong(
    ABOUT_BACKUPS,
    `${address} says that one is overdue`,
    'See the log of the service for why.',
  );
  const unbelieved = warning(
    'proxies',
    'requests have come that name a proxy, and TRUST_PROXY is not set: everybody behind it counts as one address',
    SET_TRUST_PROXY,
  );
  return [...(isOverdue ? [overdue] : []), ...(proxy === 'unbelieved' ? [unbelieved] : [])];
}

const stranger = (address: string, status: number): Finding =>
  wrong(
    'service',
    `${address} is answered ${status}: another program has the port`,
    'Stop that program, or choose another PORT.',
  );

function readyIn(body: string): Ready {
  try {
    return (JSON.parse(body) ?? {}) as Ready;
  } catch {
    return {};
  }
}
