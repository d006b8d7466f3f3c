import { type Config, isLoopback } from '../../base/config.js';
import { type Finding, ok, warning, wrong } from '../../base/finding.js';
import { SmtpSession, smtpReason } from './smtp.js';
import { smtpServerOf } from './smtp-url.js';

const PATIENCE_MS = 5_000;

/** Connects and logs in, and sends nothing. */
export async function mailFinding({ smtpUrl }: Config): Promise<Finding[]> {
  if (smtpUrl === undefined) return [];
  const server = smtpServerOf(smtpUrl);
  const named = `${server.host}:${server.port}`;
  try {
    const session = await SmtpSession.open(server, AbortSignal.timeout(PATIENCE_MS));
    const { isEncrypted } = session;
    session.close();
    const isExposed = !isEncrypted && server.user !== undefined && !isLoopback(server.host);
    if (!isExposed) return [ok(`${named} takes mails${isEncrypted ? ', by TLS' : ''}`)];
    const fix = 'Set ?tls=require at the end of SMTP_URL, or use a server that offers TLS.';
    return [warning(`${named} takes mails, but the password goes there without TLS`, fix)];
  } catch (error) {
    const reason = smtpReason(error);
    return [wrong(`${named} cannot be used (${reason})`, `${fixOf(error, reason)} Mails wait for a day.`)];
  }
}

function fixOf(error: unknown, reason: string): string {
  if (/certificate/i.test(String(error)))
    return 'Use the name that its certificate is for; if it has signed that itself, put ?tls=insecure at the end of SMTP_URL.';
  if (reason.startsWith('EAUTH')) return 'Correct the user name and the password in SMTP_URL.';
  return 'Correct the host and the port in SMTP_URL, and see whether the server runs.';
}
