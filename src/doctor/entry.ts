import { bareIssuer, otherIssuer } from '../config/issuer.js';
import { smtpServerOf } from '../config/smtp-url.js';
import { type Config, isLoopback } from '../config.js';
import { SmtpSession, smtpReason } from '../mail/smtp.js';
import { type Finding, ok, warning, wrong } from './finding.js';

const PATIENCE_MS = 5_000;

/** Connects and logs in, and sends nothing. */
export async function mailFinding({ smtpUrl }: Config): Promise<Finding[]> {
  if (smtpUrl === undefined) return [];
  const about = 'mail';
  const server = smtpServerOf(smtpUrl);
  const named = `${server.host}:${server.port}`;
  try {
    const session = await SmtpSession.open(server, AbortSignal.timeout(PATIENCE_MS));
    const { isEncrypted } = session;
    session.close();
    const isExposed = !isEncrypted && server.user !== undefined && !isLoopback(server.host);
    if (!isExposed) return [ok(about, `${named} takes mails${isEncrypted ? ', by TLS' : ''}`)];
    const fix = 'Set ?tls=require at the end of SMTP_URL, or use a server that offers TLS.';
    return [warning(about, `${named} takes mails, but the password goes there without TLS`, fix)];
  } catch (error) {
    const reason = smtpReason(error);
    return [
      wrong(about, `${named} cannot be used (${reason})`, `${fixOf(error, reason)} Mails wait for a day.`),
    ];
  }
}

function fixOf(error: unknown, reason: string): string {
  if (/certificate/i.test(String(error)))
    return 'Use the name that its certificate is for; if it has signed that itself, put ?tls=insecure at the end of SMTP_URL.';
  if (reason.startsWith('EAUTH')) return 'Correct the user name and the password in SMTP_URL.';
  return 'Correct the host and the port in SMTP_URL, and see whether the server runs.';
}

/** Where two issuers differ, to the letter: that is how they are compared. */
export function differenceOf(ours: string, theirs: string): string | undefined {
  if (ours === theirs) return undefined;
  let at = 0;
  while (at < ours.length && ours[at] === theirs[at]) at += 1;
  const letter = (text: string) => (at < text.length ? JSON.stringify(text[at]) : 'nothing');
  return `${otherIssuer(ours, theirs)}: letter ${at + 1} is ${letter(ours)} and should be ${letter(theirs)}`;
}

/** Asks the provider what it says of itself. */
export async function providerFinding({ oidcIssuer: issuer, publicUrl }: Config): Promise<Finding[]> {
  if (issuer === undefined) return [];
  const about = 'provider';
  const address = `${bareIssuer(issuer)}/.well-known/openid-configuration`;
  const fix = 'Correct OIDC_ISSUER; the provider must be reachable from this machine, by that name.';
  let said: unknown;
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(PATIENCE_MS), redirect: 'error' });
    if (!response.ok) return [wrong(about, `${address} answers ${response.status}`, fix)];
    said = ((await response.json()) as { issuer?: unknown }).issuer;
  } catch (error) {
    const { cause, name } = error as Error & { cause?: { code?: string } };
    return [wrong(about, `${address} cannot be read (${cause?.code ?? name})`, fix)];
  }
  const difference = differenceOf(issuer, String(said));
  const rewrite = 'Write OIDC_ISSUER as the provider does.';
  if (difference && bareIssuer(issuer) !== bareIssuer(String(said)))
    return [wrong(about, difference, rewrite)];
  const found = difference
    ? warning(about, `${difference}; a slash at the end keeps nobody out`, rewrite)
    : ok(about, `${issuer} answers, and is the one it says; only a log-in shows whether it knows the client`);
  const hint = 'Set PUBLIC_URL, and register PUBLIC_URL/auth/oidc/callback at the provider.';
  return publicUrl === undefined
    ? [
        found,
        warning(
          about,
          'PUBLIC_URL is not set: people are sent back to the address that each has opened',
          hint,
        ),
      ]
    : [found];
}
