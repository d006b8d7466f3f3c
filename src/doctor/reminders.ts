import type { Kysely } from 'kysely';
import { HttpClient, reasonOf } from '../channels/http-client.js';
import { HOLD, keptValue } from '../channels/kept-values.js';
import { pushSubject } from '../channels/senders.js';
import type { Config } from '../config.js';
import { appliedTo } from '../database/migrations.js';
import { type Finding, ok, warning } from './finding.js';

const ABOUT = 'reminders';

/** Whether they ring, and what they can be sent by. */
export async function reminderFindings(query: Kysely<unknown>, config: Config): Promise<Finding[]> {
  const applied = await appliedTo(query);
  if (!applied.includes('0003_reminders')) return [];
  const hold = await keptValue(query, HOLD);
  if (hold !== undefined) {
    const why = hold === 'held' ? 'the database was restored, and they are held back' : 'they are off';
    return [warning(ABOUT, why, 'If this database is the one in use: npm run reminders -- on')];
  }
  if (config.reminders === 'off') return [ok(ABOUT, 'this deployment rings nobody (REMINDERS=off)')];
  return [
    ok(ABOUT, `they can be sent by ${waysIn(config).join(', ') || 'nothing: no setting says how'}`),
    ...pushFinding(config),
  ];
}

const waysIn = (config: Config): string[] => [
  ...(pushSubject(config) ? ['Web Push'] : []),
  ...(config.ntfyUrl ? ['ntfy'] : []),
  ...(config.appriseUrl ? ['Apprise'] : []),
];

/** Said only where somebody means to send reminders. */
function pushFinding(config: Config): Finding[] {
  const { publicUrl, ntfyUrl, appriseUrl } = config;
  const isMeant = publicUrl !== undefined || ntfyUrl !== undefined || appriseUrl !== undefined;
  if (!isMeant || pushSubject(config)) return [];
  const fix = 'Set PUBLIC_URL to the https address of the service.';
  return [
    warning(ABOUT, 'no browser can be reached: push services refuse whoever does not say who they are', fix),
  ];
}

/** Whether the operator's ntfy and Apprise answer. */
export async function receiverFindings({ ntfyUrl, appriseUrl }: Config): Promise<Finding[]> {
  const client = new HttpClient();
  const asked = [
    ...(ntfyUrl ? [{ name: 'NTFY_URL', url: `${ntfyUrl}/v1/health` }] : []),
    ...(appriseUrl ? [{ name: 'APPRISE_URL', url: `${appriseUrl.replace(/\/notify$/, '')}/status` }] : []),
  ];
  const findings = asked.map(async ({ name, url }) => {
    const fix = `Look whether it runs, and whether ${name} is its address.`;
    try {
      const { status } = await client.send(new URL(url), { method: 'GET' });
      const isThere = status < 500 && status !== 404;
      return isThere ? ok(ABOUT, `${name} answers`) : warning(ABOUT, `${name} answers ${status}`, fix);
    } catch (error) {
      return warning(ABOUT, `${name}: ${reasonOf(error)}`, fix);
    }
  });
  return Promise.all(findings).finally(() => client.close());
}
