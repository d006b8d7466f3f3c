import { systemClock } from '../../src/base/clock.js';
import type { Database } from '../../src/database/database.js';
import { readConfig } from '../../src/features/settings.js';
import { features } from '../../src/features.js';
import { MetricsOfWorkers } from '../../src/operation/service/metrics-of-workers.js';
import { Metrics } from '../../src/telemetry/metrics.js';

/** What makes every feature count. */
const ALL = {
  SMTP_URL: 'smtp://mail.example.com',
  MAIL_FROM: 'habits@example.com',
  PUBLIC_URL: 'https://habits.example.com',
  OIDC_ISSUER: 'https://login.example.com',
  OIDC_CLIENT_ID: 'steady',
};

/** Of one process and of the primary, in the order in which they are declared. */
export async function allMetrics(): Promise<{ name: string; help: string }[]> {
  const metrics = new Metrics();
  const place = { config: readConfig(ALL), clock: systemClock, database: {} as Database };
  for (const { metrics: declare } of features) declare?.(metrics, place);
  metrics.read({
    build: { version: '', node: '', database: '' },
    connections: () => ({ open: 0, idle: 0, waiting: 0 }),
    hearsOthers: () => true,
    passwordsWaiting: () => 0,
    probe: async () => {},
    isFull: () => false,
    liveOperations: () => ({}),
    jobs: async () => [],
    lastBackup: () => null,
  });
  const ofPrimary = new MetricsOfWorkers(() => []).restarts;
  return [...(await metrics.values()), await ofPrimary.get()].map(({ name, help }) => ({ name, help }));
}
