import { Migration } from '@mikro-orm/migrations';

/** Reads the tasks linked to one challenge, in order, without reading the user's other tasks. */
export class LinkedTasks extends Migration {
  override up(): void {
    this.addSql(`
      create index tasks_user_id_challenge_template_id_created_at_id_index
      on tasks (user_id, challenge_template_id, created_at, id) where challenge_template_id is not null`);
  }
}
