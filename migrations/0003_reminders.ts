import { Migration } from '@mikro-orm/migrations';

const OF_USER = (table: string) => `
  constraint ${table}_pkey primary key (id, user_id),
  constraint ${table}_user_id_foreign
    foreign key (user_id) references user_progress (user_id) on delete cascade`;

export class Reminders extends Migration {
  override up(): void {
    this.addSql(`create table reminders (
      id uuid not null,
      user_id uuid not null,
      task_id bigint null,
      minute int not null,
      weekdays int not null,
      next_at timestamptz(3) not null,
      ${OF_USER('reminders')},
      constraint reminders_task_id_user_id_foreign
        foreign key (task_id, user_id) references tasks (id, user_id) on delete cascade
    )`);
    this.addSql('create index reminders_next_at_index on reminders (next_at)');
    this.addSql('create index reminders_user_id_task_id_index on reminders (user_id, task_id)');
    this.addSql(`create table channels (
      id uuid not null,
      user_id uuid not null,
      kind text not null,
      name text not null,
      host text not null,
      address text not null,
      p256dh text null,
      auth text null,
      token text null,
      state text not null,
      created_at timestamptz(3) not null,
      last_sent_at timestamptz(3) null,
      last_error text null,
      failing_since timestamptz(3) null,
      ${OF_USER('channels')}
    )`);
    this.addSql(
      `create unique index channels_push_unique on channels (user_id, address) where kind = 'PUSH'`,
    );
    this.addSql('create index channels_user_id_created_at_index on channels (user_id, created_at)');
    this.addSql(`create table messages (
      id uuid not null,
      user_id uuid not null,
      channel_id uuid not null,
      host text not null,
      rings_at timestamptz(3) not null,
      task_ids bigint[] not null,
      is_of_day boolean not null,
      state text not null,
      tries int not null,
      try_at timestamptz(3) null,
      ${OF_USER('messages')}
    )`);
    this.addSql('create unique index messages_channel_unique on messages (user_id, channel_id, rings_at)');
    this.addSql('create index messages_try_at_index on messages (try_at) where try_at is not null');
    this.addSql(
      'create index messages_host_try_at_index on messages (host, try_at) where try_at is not null',
    );
    this.addSql('create index messages_rings_at_index on messages (rings_at)');
    this.addSql(`create table kept_values (
      name text not null,
      value text not null,
      constraint kept_values_pkey primary key (name)
    )`);
  }

  override down(): void {
    for (const table of ['kept_values', 'messages', 'channels', 'reminders'])
      this.addSql(`drop table ${table}`);
  }
}
