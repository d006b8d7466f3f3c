import { Migration } from '@mikro-orm/migrations';

/** Mails that wait, links that were mailed or printed, and accounts without a password. */
export class Mail extends Migration {
  override up(): void {
    for (const statement of UP) this.addSql(statement);
  }

  override down(): void {
    for (const statement of DOWN) this.addSql(statement);
  }
}

const UP = [
  'alter table users add column email_confirmed_at timestamptz(3) null',
  'alter table users alter column password_hash drop not null',
  `create table mails (
    id uuid not null,
    user_id uuid null,
    kind text not null,
    address text not null,
    link_id uuid null,
    language text not null,
    created_at timestamptz(3) not null,
    due_at timestamptz(3) not null,
    attempts int not null default 0,
    taken_by uuid null,
    taken_until timestamptz(3) null,
    handed_at timestamptz(3) null,
    constraint mails_pkey primary key (id),
    constraint mails_user_id_foreign foreign key (user_id) references user_progress (user_id) on delete cascade
  )`,
  'create index mails_due_at_index on mails (due_at)',
  'create index mails_user_id_index on mails (user_id)',
  `create table account_links (
    id uuid not null,
    user_id uuid not null,
    purpose text not null,
    digest text null,
    email text null,
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    constraint account_links_pkey primary key (id, user_id),
    constraint account_links_user_id_foreign foreign key (user_id)
      references user_progress (user_id) on delete cascade
  )`,
  'create unique index account_links_digest_unique on account_links (digest)',
  'create index account_links_user_id_index on account_links (user_id)',
  `create index account_links_email_index on account_links (lower(email collate "C")) where purpose = 'UNDO_EMAIL'`,
];

const DOWN = [
  'drop table account_links',
  'drop table mails',
  `update users set password_hash = '' where password_hash is null`,
  'alter table users alter column password_hash set not null',
  'alter table users drop column email_confirmed_at',
];
