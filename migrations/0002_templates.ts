import { Migration } from '@mikro-orm/migrations';

const templates = [
  [
    'A Good Week',
    'Do what you planned on seven days in a row. A week is short enough to keep every day of it.',
    7,
  ],
  [
    'Three Weeks to a Habit',
    'Twenty-one days in a row: long enough for the new thing to start feeling like yours.',
    21,
  ],
  ['The Whole Month', 'Thirty days without a gap. Choose one habit and let the calendar fill up.', 30],
  ['A Long Weekend', 'Three days in a row. A gentle way to begin, or to begin again.', 3],
  ['A Fortnight of Focus', 'Fourteen days in a row with your mind on one thing. Note what changes.', 14],
  ['Just Today', 'One day, today. Do the thing once and see that it can be done.', 1],
  ['Sixty Strong', 'Sixty days in a row. For habits that are meant to stay.', 60],
] as const;

export class Templates extends Migration {
  override up(): void {
    // One second apart, so that "most recent first" is 7 … 1.
    templates.forEach(([title, description, days], index) => {
      const at = `2026-01-01T00:00:0${index}.000Z`;
      this.addSql(
        `insert into challenge_templates (id, title, description, duration_days, created_at, updated_at)
         values (${index + 1}, '${title}', '${description}', ${days}, '${at}', '${at}')`,
      );
    });
    this.addSql(`alter table challenge_templates alter column id restart with ${templates.length + 1}`);
  }
}
