import { Migration } from '@mikro-orm/migrations';

/**
 * Tokens can be taken back, and scripts have tokens of their own. The release before this one goes on working: a user
 * without a generation has the first one, which its tokens do not name.
 */
export class Revocations extends Migration {
  override up(): void {
    this.addSql(`alter table users add column token_generation int not null default 0`);
    this.addSql(`
      create table revocations (
        id uuid not null,
        user_id uuid not null,
        generation int null,
        revoked_at timestamptz(3) not null,
        change bigint not null,
        constraint revocations_pkey primary key (id, user_id),
        constraint revocations_user_id_foreign foreign key (user_id)
          references user_progress (user_id) on delete cascade
      )`);
    this.addSql(`create index revocations_change_id_index on revocations (change, id)`);
    this.addSql(`create index revocations_revoked_at_index on revocations (revoked_at)`);
    this.addSql(`create index revocations_user_id_index on revocations (user_id)`);
    this.addSql(`
      create table api_tokens (
        id uuid not null,
        user_id uuid not null,
        name text not null,
        hash text not null,
        scopes text not null,
        ending text not null,
        created_at timestamptz(3) not null,
        expires_at timestamptz(3) null,
        last_used_at timestamptz(3) null,
        constraint api_tokens_pkey primary key (id, user_id),
        constraint api_tokens_user_id_foreign foreign key (user_id)
          references user_progress (user_id) on delete cascade
      )`);
    this.addSql(`create unique index api_tokens_hash_unique on api_tokens (hash)`);
    this.addSql(
      `create index api_tokens_user_id_created_at_id_index on api_tokens (user_id, created_at, id)`,
    );
  }

  override down(): void {
    this.addSql('drop table api_tokens');
    this.addSql('drop table revocations');
    this.addSql('alter table users drop column token_generation');
  }
}
