import { ReflectMetadataProvider } from '@mikro-orm/decorators/legacy';
import { Migrator } from '@mikro-orm/migrations';
import { Baseline } from './migrations/0001_baseline.js';
import { LimitsAndLanguages } from './migrations/0002_limits_and_languages.js';
import { CheckInLinks } from './migrations/0003_check_in_links.js';
import { Reminders } from './migrations/0003_reminders.js';
import { Mail as MailMigration } from './migrations/0004_mail.js';
import { SignIn } from './migrations/0004_sign_in.js';
import { EndedChallenges } from './migrations/0005_ended_challenges.js';
import { ApiToken } from './src/accounts/api-token.entity.js';
import { LoginAttempt } from './src/accounts/attempt.entity.js';
import { DeletedAccount } from './src/accounts/deleted-account.entity.js';
import { UserProgress } from './src/accounts/progress.entity.js';
import { Restore } from './src/accounts/restore.entity.js';
import { Revocation } from './src/accounts/revocation.entity.js';
import { User } from './src/accounts/user.entity.js';
import { Challenge } from './src/challenges/challenge.entity.js';
import { ChallengeTemplate } from './src/challenges/template.entity.js';
import { Channel } from './src/channels/channel.entity.js';
import { KeptValue } from './src/channels/kept-value.entity.js';
import { CheckInLink } from './src/check-in/check-in-link.entity.js';
import { Completion } from './src/completions/completion.entity.js';
import { readConfig } from './src/config.js';
import { Listener } from './src/database/announcements/listener.entity.js';
import type { Model } from './src/database/backend.js';
import { serverOptions } from './src/database/server/open.js';
import { Mail } from './src/mail/mail.entity.js';
import { Pause } from './src/pauses/pause.entity.js';
import { Skip } from './src/pauses/skip.entity.js';
import { Message } from './src/reminders/message.entity.js';
import { Reminder } from './src/reminders/reminder.entity.js';
import { AccountLink } from './src/sign-in/account-link.entity.js';
import { Identity } from './src/sign-in/identity.entity.js';
import { LogIn } from './src/sign-in/log-in.entity.js';
import { StreakRun } from './src/streaks/run.entity.js';
import { Task } from './src/tasks/task.entity.js';

/** The entities and migrations of the database. */
export const model: Model = {
  entities: [
    User,
    UserProgress,
    DeletedAccount,
    ChallengeTemplate,
    Challenge,
    Task,
    Completion,
    StreakRun,
    LoginAttempt,
    Listener,
    Revocation,
    ApiToken,
    Restore,
    Skip,
    Pause,
    CheckInLink,
    Mail,
    AccountLink,
    Identity,
    LogIn,
    Channel,
    KeptValue,
    Reminder,
    Message,
  ],
  metadataProvider: ReflectMetadataProvider,
  extensions: [Migrator],
  schemaGenerator: { ignoreRoutines: true }, // no entity declares functions
  migrations: {
    snapshot: false,
    silent: true,
    migrationsList: [
      { name: '0001_baseline', class: Baseline },
      { name: '0002_limits_and_languages', class: LimitsAndLanguages },
      { name: '0003_check_in_links', class: CheckInLinks },
      { name: '0003_reminders', class: Reminders },
      { name: '0004_mail', class: MailMigration },
      { name: '0004_sign_in', class: SignIn },
      { name: '0005_ended_challenges', class: EndedChallenges },
    ],
  },
};

/** For MikroORM's command line, which calls this with arguments of its own and needs a server. */
export default () => {
  const { databaseUrl, databasePoolSize, timeouts } = readConfig();
  if (!databaseUrl) throw new Error('Set DATABASE_URL: the command line needs a PostgreSQL server');
  return serverOptions(model, { url: databaseUrl, poolSize: databasePoolSize, patience: timeouts.patience });
};
