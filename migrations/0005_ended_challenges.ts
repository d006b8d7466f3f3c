import { Migration } from '@mikro-orm/migrations';

/** Which tasks were linked to a challenge when it ended. */
export class EndedChallenges extends Migration {
  override up(): void {
    this.addSql('alter table user_challenges add column linked_task_ids bigint[] null');
  }

  override down(): void {
    this.addSql('alter table user_challenges drop column linked_task_ids');
  }
}
