import { systemClock } from '../../base/clock.js';
import type { Config } from '../../base/config.js';
import { type Finding, ok, warning, wrong } from '../../base/finding.js';
import { bareIssuer, otherIssuer } from './oidc/issuer.js';
import { Provider, providerSettings } from './oidc/provider.js';

const PATIENCE_MS = 5_000;

/** Where two issuers differ, to the letter: that is how they are compared. */
export function differenceOf(ours: string, theirs: string): string | undefined {
  if (ours === theirs) return undefined;
  let at = 0;
  while (at < ours.length && ours[at] === theirs[at]) at += 1;
  const letter = (text: string) => (at < text.length ? JSON.stringify(text[at]) : 'nothing');
  return `${otherIssuer(ours, theirs)}: letter ${at + 1} is ${letter(ours)} and should be ${letter(theirs)}`;
}

/** Gives the provider a code that it has never given. */
async function clientFinding(config: Config): Promise<Finding> {
  const settings = providerSettings(config);
  const { oidcIssuer: issuer, publicUrl = 'http://localhost' } = config;
  const answers = `${issuer} answers, and is the one it says`;
  const isKnown =
    settings && (await new Provider(settings, systemClock).knowsClient(`${publicUrl}/auth/oidc/callback`));
  if (isKnown === undefined) return ok(`${answers}; only a log-in shows whether it knows the client`);
  if (isKnown) return ok(`${answers}; it knows the client`);
  const fix = 'Correct OIDC_CLIENT_ID and OIDC_CLIENT_SECRET: nobody can log in there.';
  return wrong(`${answers}, but it does not know the client, or not with that secret`, fix);
}

/** Asks the provider what it says of itself. */
export async function providerFinding(config: Config): Promise<Finding[]> {
  const { oidcIssuer: issuer, publicUrl } = config;
  if (issuer === undefined) return [];
  const address = `${bareIssuer(issuer)}/.well-known/openid-configuration`;
  const fix = 'Correct OIDC_ISSUER; the provider must be reachable from this machine, by that name.';
  let said: unknown;
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(PATIENCE_MS), redirect: 'error' });
    if (!response.ok) return [wrong(`${address} answers ${response.status}`, fix)];
    said = ((await response.json()) as { issuer?: unknown }).issuer;
  } catch (error) {
    const { cause, name } = error as Error & { cause?: { code?: string } };
    return [wrong(`${address} cannot be read (${cause?.code ?? name})`, fix)];
  }
  const difference = differenceOf(issuer, String(said));
  const rewrite = 'Write OIDC_ISSUER as the provider does.';
  if (difference && bareIssuer(issuer) !== bareIssuer(String(said))) return [wrong(difference, rewrite)];
  const found = difference
    ? warning(`${difference}; a slash at the end keeps nobody out`, rewrite)
    : await clientFinding(config);
  if (publicUrl !== undefined) return [found];
  const anywhere = 'PUBLIC_URL is not set: people are sent back to the address that each has opened';
  const hint = 'Set PUBLIC_URL, and register PUBLIC_URL/auth/oidc/callback at the provider.';
  return [found, warning(anywhere, hint)];
}
