import 'reflect-metadata';
import { DecimalType, OptionalProps } from '@mikro-orm/core';
import { Entity, Property } from '@mikro-orm/decorators/legacy';
import { OwnedBy, User } from './user.entity.js';

/** The days on which a week may begin. */
export const WEEK_STARTS = ['MONDAY', 'SUNDAY', 'SATURDAY'] as const;
export type WeekStart = (typeof WEEK_STARTS)[number];

/**
 * The counters of a user, updated by every completion. `currentStreak` and `maxStreak` follow the letter of the spec.
 * `lastActiveOn`, `runStartedOn` and `longestRun` follow the true run of UTC days; the job corrects the first two from
 * them. The last three columns follow the run of the user's days, once the user has set a time zone.
 */
@Entity({ tableName: 'user_progress' })
export class UserProgress {
  static readonly spreadBy = 'user_id';

  [OptionalProps]?:
    | 'points'
    | 'currentStreak'
    | 'maxStreak'
    | 'longestRun'
    | 'dayStartsAt'
    | 'longestUserRun'
    | 'userRunCount'
    | 'userRunNeedsLens';

  @OwnedBy(() => User)
  userId!: string;

  @Property({ type: new DecimalType('number'), columnType: 'numeric', default: 0 })
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

  /** Null until it is set: then the user's days are UTC days. */
  @Property({ type: 'text', nullable: true })
  timeZone: string | null = null;

  @Property({ type: 'int', default: 0 })
  dayStartsAt!: number;

  @Property({ type: 'date', nullable: true })
  lastUserDay: string | null = null;

  @Property({ type: 'date', nullable: true })
  userRunStartedOn: string | null = null;

  @Property({ type: 'int', default: 0 })
  longestUserRun!: number;

  /** The days of that run: those on which everything was paused are not counted. */
  @Property({ type: 'int', default: 0 })
  userRunCount!: number;

  /** Whether everything is paused on a day after that run: then a completion does not count by itself. */
  @Property({ type: 'boolean', default: false })
  userRunNeedsLens!: boolean;

  /** Null until it is set: then weeks begin on Monday. */
  @Property({ type: 'text', nullable: true })
  weekStartsOn: WeekStart | null = null;

  /** So that a completion knows without a look-up. Null means no, and takes no room. */
  @Property({ type: 'boolean', nullable: true })
  hasFeed: true | null = null;
}
