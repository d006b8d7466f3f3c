import { Migration } from '@mikro-orm/migrations';

export class CheckInLinks extends Migration {
  override up(): void {
    this.addSql(`create table check_in_links (
      id uuid not null,
      user_id uuid not null,
      task_id bigint not null,
      name text not null,
      amount numeric null,
      digest text not null,
      created_at timestamptz(3) not null,
      last_used_at timestamptz(3) null,
      counts_from timestamptz(3) null,
      last_completion_id bigint null,
      constraint check_in_links_pkey primary key (id, user_id),
      constraint check_in_links_user_id_foreign
        foreign key (user_id) references user_progress (user_id) on delete cascade,
      constraint check_in_links_task_id_user_id_foreign
        foreign key (task_id, user_id) references tasks (id, user_id) on delete cascade
    )`);
    this.addSql('create unique index check_in_links_digest_unique on check_in_links (digest)');
    this.addSql(
      'create index check_in_links_user_id_task_id_created_at_index on check_in_links (user_id, task_id, created_at)',
    );
  }

  override down(): void {
    this.addSql('drop table check_in_links');
  }
}
