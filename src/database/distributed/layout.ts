const ONLY_USERS = 'foreign key (user_id) references users (id) on delete cascade';

/** How Citus holds each table. */
export const layout: Layout = {
  reference: [
    'challenge_templates',
    'users',
    'api_tokens',
    'check_in_links',
    'account_links',
    'identities',
    'log_ins',
    'mails',
    'reminders',
    'channels',
    'messages',
    'kept_values',
    'revocations',
    'deleted_accounts',
    'restores',
  ],
  byUser: ['user_progress', 'tasks', 'task_completions', 'user_challenges', 'skips', 'pauses'],
  local: ['streak_runs', 'login_attempts', 'listeners', 'mikro_orm_migrations'],
  references: {
    api_tokens: ONLY_USERS,
    account_links: ONLY_USERS,
    check_in_links: ONLY_USERS,
    identities: ONLY_USERS,
    log_ins: ONLY_USERS,
    mails: ONLY_USERS,
    reminders: ONLY_USERS,
    channels: ONLY_USERS,
    messages: ONLY_USERS,
    revocations: ONLY_USERS,
  },
};

interface Layout {
  /** Whole on every node: small, or looked for by something else than their user. */
  reference: readonly string[];
  /** Spread by `user_id`, all of a user's rows on one node. The first is the one beside which the others are placed. */
  byUser: readonly [first: string, ...others: string[]];
  /** On the coordinator only. */
  local: readonly string[];
  /** A whole table may not refer to one by user: the foreign keys of these tables then. */
  references: Readonly<Record<string, string>>;
}
