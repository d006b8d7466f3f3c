import type { Config } from '../../base/config.js';
import { type Finding, ok, warning } from '../../base/finding.js';
import { causeOf, HttpClient } from '../../base/outgoing/http-client.js';
import type { Examined } from '../../feature.js';
import { pushSubject } from './channels/senders.js';
import { HOLD, storedValue } from './channels/stored-values.js';

/** Whether they ring, and what they can be sent by. */
export async function reminderFindings({ query, config }: Examined): Promise<Finding[]> {
  const hold = await storedValue(query, HOLD);
  if (hold !== undefined) {
    const why = hold === 'held' ? 'the database was restored, and they are held back' : 'they are off';
    return [warning(why, 'If this database is the one in use: steady reminders on')];
  }
  const { publicUrl, ntfyUrl, appriseUrl } = config;
  const hasPush = pushSubject(config) !== undefined;
  const ways = [hasPush && 'Web Push', ntfyUrl && 'ntfy', appriseUrl && 'Apprise'].filter(Boolean);
  const found = ok(`they can be sent by ${ways.join(', ') || 'nothing: no setting says how'}`);
  const isMeant = publicUrl !== undefined || ntfyUrl !== undefined || appriseUrl !== undefined;
  if (hasPush || !isMeant) return [found];
  const unreached = 'no browser can be reached: push services refuse whoever does not say who they are';
  return [found, warning(unreached, 'Set PUBLIC_URL to the https address of the service.')];
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
      return isThere ? ok(`${name} answers`) : warning(`${name} answers ${status}`, fix);
    } catch (error) {
      return warning(`${name}: ${causeOf(error)}`, fix);
    }
  });
  return Promise.all(findings).finally(() => client.close());
}
