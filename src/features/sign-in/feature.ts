import { type Base, feature } from '../../feature.js';
import type { Trust } from '../../http/address.js';
import type { Account } from '../account/feature.js';
import { MailJob } from '../mail/mail.job.js';
import { AccountLink } from './account-link.entity.js';
import { AccountMails } from './account-mails.js';
import { providerFinding } from './checks.js';
import { Identity } from './identity.entity.js';
import { carriedIdentities } from './identity.queries.js';
import { ExchangeResolver, IdentityResolver, UserIdentities } from './identity.resolver.js';
import { IdentityService } from './identity.service.js';
import { MailLimit } from './mail-limit.js';
import { oidcOf } from './oidc/oidc.js';
import { oidcRoutes } from './oidc/oidc.routes.js';
import { OidcExchange } from './oidc-exchange.entity.js';
import { signInReasons } from './reasons.js';
import { RecoveryService } from './recovery.service.js';
import { signInSettings } from './settings.js';
import { ConfirmationResolver, RecoveryResolver } from './sign-in.resolver.js';
import { signInMetrics } from './topics.js';

/** What writes mails, and what sends them; undefined where none are sent. */
export function lettersOn(base: Base) {
  const { config, secret, database, clock } = base;
  const { smtpUrl, mailFrom, publicUrl } = config;
  if (smtpUrl === undefined || mailFrom === undefined || publicUrl === undefined) return undefined;
  const limit = new MailLimit(database, clock);
  const mails = new AccountMails(database, clock, limit, publicUrl, secret);
  const settings = { smtpUrl, mailFrom, publicUrl };
  const { runner } = new MailJob(base, settings, (mail) => mails.write(mail));
  return { mails, runner };
}

interface Needs extends Account {
  letters: ReturnType<typeof lettersOn>;
}

/** The ways into the service, and back into it, beside a password. */
export const signIn = feature({
  settings: signInSettings,
  reasons: signInReasons,
  entities: [AccountLink, Identity, OidcExchange],
  commands: { users: () => import('./users.command.js') },
  asks: [{ about: 'provider', look: providerFinding }],
  metrics: signInMetrics,
  carries: [carriedIdentities],
  build(base, { accounts, callers, limit, letters }: Needs) {
    const { config, database, clock, passwords, log } = base;
    const { signUp } = config;
    const oidc = oidcOf(base);
    const identities = new IdentityService(database, clock, accounts, limit, {
      ...{ signUp, provider: oidc?.provider.settings, events: letters?.mails },
    });
    const recovery = new RecoveryService(
      ...([database, clock, accounts, passwords, callers, limit, letters?.mails] as const),
    );
    const ways = (origin: () => string) => ({
      sendsMail: letters !== undefined,
      isSignUpOpen: signUp === 'open',
      providers: oidc?.listed(origin) ?? [],
    });
    return {
      resolvers: [
        new RecoveryResolver(recovery, ways),
        new ConfirmationResolver(recovery),
        new ExchangeResolver(identities),
        new IdentityResolver(identities, accounts, oidc),
        new UserIdentities(identities),
      ],
      ...(oidc && { router: (trusts: Trust) => oidcRoutes({ ...oidc, config, identities, trusts, log }) }),
      jobs: { everywhere: letters ? [letters.runner] : [] },
      begin: () => oidc?.provider.begin(log),
    };
  },
});
