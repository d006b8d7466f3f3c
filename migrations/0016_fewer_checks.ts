import { Migration } from '@mikro-orm/migrations';

const BELOW = 'id < 9007199254740992';
const run = (last: string, started: string) =>
  `(${last} is null) = (${started} is null) and ${started} <= ${last}`;

const CHECKS: Record<string, Record<string, string>> = {
  user_progress: {
    points: 'points >= 0',
    current_streak: 'current_streak >= 0',
    run: run('last_active_on', 'run_started_on'),
    day_starts_at: 'day_starts_at >= 0 and day_starts_at <= 6',
    user_run: run('last_user_day', 'user_run_started_on'),
  },
  tasks: { id: BELOW, run: run('last_day', 'run_started_on'), place: '(listed_at is null) = (rank is null)' },
  task_completions: { id: BELOW, points: 'points > 0' },
  user_challenges: { id: BELOW },
  challenge_templates: { id: BELOW },
};

/** On a distributed database the sequences cannot be changed any more; there the coordinator gives the ids. */
const setMaxvalue = (value: string) => `
  do $$ declare name text; begin
    if to_regclass('pg_dist_partition') is not null then return; end if;
    foreach name in array array['tasks', 'task_completions', 'user_challenges', 'challenge_templates'] loop
      execute format('alter table %I alter column id set ${value}', name);
    end loop;
  end $$`;

/**
 * Checks are read anew for each statement: these took a seventh of each completion, and say what the statements
 * themselves, the points of the task and the sequences guarantee. The tables are locked in the order in which a
 * completion does, for as long as a catalogue is written.
 */
export class FewerChecks extends Migration {
  override up(): void {
    for (const [table, checks] of Object.entries(CHECKS)) {
      const dropped = Object.keys(checks).map((check) => `drop constraint ${table}_${check}_check`);
      this.addSql(`alter table ${table} ${dropped.join(', ')}`);
    }
    this.addSql(setMaxvalue('maxvalue 9007199254740991'));
  }

  override down(): void {
    for (const [table, checks] of Object.entries(CHECKS)) {
      const added = Object.entries(checks).map(
        ([check, condition]) => `add constraint ${table}_${check}_check check (${condition})`,
      );
      this.addSql(`alter table ${table} ${added.join(', ')}`);
    }
    this.addSql(setMaxvalue('no maxvalue'));
  }
}
