import 'reflect-metadata';
import { DecimalType, OptionalProps } from '@mikro-orm/core';
import { Check, Entity, Index, ManyToOne, Property } from '@mikro-orm/decorators/legacy';
import { User } from './user.entity.js';

/**
 * What a completion changes. `currentStreak` and `maxStreak` follow the letter of the spec;
 * the last three columns follow the true run of days, from which the job corrects the first two.
 */
@Entity({ tableName: 'user_progress' })
@Check({ name: 'user_progress_points_check', expression: 'points >= 0' })
@Check({
  name: 'user_progress_run_check',
  expression: '(last_active_on is null) = (run_started_on is null) and run_started_on <= last_active_on',
})
// The three ways in which a row can be wrong, each an index range for the job.
@Index({
  name: 'user_progress_broken_index',
  expression:
    'create index "user_progress_broken_index" on "user_progress" ("last_active_on") where "current_streak" > 0',
})
@Index({
  name: 'user_progress_revived_index',
  expression:
    'create index "user_progress_revived_index" on "user_progress" ("last_active_on") where "current_streak" = 0',
})
@Index({
  name: 'user_progress_inflated_index',
  expression:
    'create index "user_progress_inflated_index" on "user_progress" ("user_id") where "max_streak" <> "longest_run" or ("current_streak" > 0 and "current_streak" <> "last_active_on" - "run_started_on" + 1)',
})
export class UserProgress {
  [OptionalProps]?: 'points' | 'currentStreak' | 'maxStreak' | 'longestRun';

  @ManyToOne(() => User, {
    primary: true,
    mapToPk: true,
    fieldName: 'user_id',
    deleteRule: 'cascade',
    updateRule: 'no action',
  })
  userId!: string;

  @Property({ type: new DecimalType('number'), default: 0 })
  points!: number;

  @Property({ type: 'int', default: 0 })
  currentStreak!: number;

  @Property({ type: 'int', default: 0 })
  maxStreak!: number;

  @Property({ type: 'date', nullable: true })
  lastActiveOn: string | null = null;

  @Property({ type: 'date', nullable: true })
  runStartedOn: string | null = null;

  @Property({ type: 'int', default: 0 })
  longestRun!: number;
}
