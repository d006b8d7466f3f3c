import { Migration } from '@mikro-orm/migrations';

/** Log-ins at a provider of OpenID Connect. */
export class SignIn extends Migration {
  override up(): void {
    for (const statement of UP) this.addSql(statement);
  }

  override down(): void {
    this.addSql('drop table log_ins');
    this.addSql('drop table identities');
  }
}

const UP = [
  `create table identities (
    id uuid not null,
    user_id uuid not null,
    issuer text not null,
    subject text not null,
    connected_at timestamptz(3) not null,
    session_id uuid null,
    logged_in_at timestamptz(3) null,
    constraint identities_pkey primary key (id, user_id),
    constraint identities_user_id_foreign foreign key (user_id)
      references user_progress (user_id) on delete cascade
  )`,
  'create unique index identities_issuer_subject_unique on identities (issuer, subject)',
  'create index identities_user_id_index on identities (user_id)',
  `create table log_ins (
    id uuid not null,
    user_id uuid not null,
    issuer text not null,
    subject text not null,
    code_digest text not null,
    browser_digest text not null,
    session_id uuid null,
    expires_at timestamptz(3) not null,
    constraint log_ins_pkey primary key (id, user_id),
    constraint log_ins_user_id_foreign foreign key (user_id)
      references user_progress (user_id) on delete cascade
  )`,
  'create unique index log_ins_code_digest_unique on log_ins (code_digest)',
  'create index log_ins_user_id_index on log_ins (user_id)',
  'create index log_ins_expires_at_index on log_ins (expires_at)',
];
