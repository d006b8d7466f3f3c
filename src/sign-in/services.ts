import type { Logger } from 'pino';
import type { AccountService } from '../accounts/account.service.js';
import type { Callers } from '../accounts/callers.js';
import type { LoginLimit } from '../accounts/login-limit.js';
import type { Passwords } from '../accounts/passwords.js';
import type { Clock } from '../clock.js';
import type { Config } from '../config.js';
import type { Database } from '../database/database.js';
import { MailSender } from '../mail/mail.sender.js';
import { AccountMails } from './account-mails.js';
import { ExchangeResolver, IdentityResolver, UserIdentities } from './identity.resolver.js';
import { IdentityService } from './identity.service.js';
import { MailLimit } from './mail-limit.js';
import { oidcOf } from './oidc/oidc.js';
import { RecoveryService } from './recovery.service.js';
import { ConfirmationResolver, RecoveryResolver } from './sign-in.resolver.js';

interface Instance {
  config: Config;
  secret: string;
  database: Database;
  clock: Clock;
  passwords: Passwords;
  log: Logger;
}

/** What writes mails, and what sends them; undefined where none are sent. */
export function mailOf({ config, database, clock, log }: Instance) {
  const { smtpUrl, mailFrom, publicUrl, loginWindow } = config;
  if (smtpUrl === undefined || mailFrom === undefined || publicUrl === undefined) return undefined;
  const limit = new MailLimit(database, clock, loginWindow);
  const mails = new AccountMails(database, clock, limit, publicUrl);
  const settings = { smtpUrl, mailFrom, publicUrl };
  const sender = new MailSender(database, clock, log, settings, (mail) => mails.write(mail));
  return { mails, sender };
}

interface Others {
  accounts: AccountService;
  callers: Callers;
  limit: LoginLimit;
  mail: ReturnType<typeof mailOf>;
}

/** The ways into the service, and back into it, beside a password. */
export function signInOn(instance: Instance, { accounts, callers, limit, mail }: Others) {
  const { config, database, clock, passwords } = instance;
  const { signUp } = config;
  const oidc = oidcOf(instance);
  const identities = new IdentityService(database, clock, accounts, limit, {
    ...{ signUp, provider: oidc?.provider.settings, events: mail?.mails },
  });
  const recovery = new RecoveryService(database, clock, accounts, passwords, callers, limit, mail?.mails);
  const ways = (origin: () => string) => ({
    mail: mail !== undefined,
    signUp: signUp === 'open',
    oidc: oidc?.listed(origin) ?? [],
  });
  return { identities, oidc, recovery, ways, mailSender: mail?.sender };
}

type SignIn = ReturnType<typeof signInOn>;

export const signInResolvers = ({ recovery, ways, identities, oidc }: SignIn, accounts: AccountService) => [
  new RecoveryResolver(recovery, ways),
  new ConfirmationResolver(recovery),
  new ExchangeResolver(identities),
  new IdentityResolver(identities, accounts, oidc),
  new UserIdentities(identities),
];
