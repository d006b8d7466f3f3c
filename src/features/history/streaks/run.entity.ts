import 'reflect-metadata';
import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** One execution of the streak job that changed something. Without an end if it was interrupted. */
@Entity({ tableName: 'streak_runs' })
export class StreakRun {
  static readonly isOnCoordinator = true;

  @PrimaryKey({ type: 'uuid' })
  id!: string;

  /** The day that streaks were judged by. */
  @Property({ type: 'date' })
  day!: string;

  /** The number of rows corrected so far. */
  @Property({ type: 'int' })
  corrected!: number;

  @Property({ type: 'datetime', length: 3 })
  startedAt!: Date;

  @Property({ type: 'datetime', length: 3, nullable: true })
  endedAt: Date | null = null;
}
