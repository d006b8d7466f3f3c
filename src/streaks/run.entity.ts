import 'reflect-metadata';
import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** A run of the job that changed something; without an end when it was cut off. */
@Entity({ tableName: 'streak_runs' })
export class StreakRun {
  @PrimaryKey({ type: 'uuid' })
  id!: string;

  /** The day by which it judged. */
  @Property({ type: 'date' })
  day!: string;

  /** How many rows it had corrected so far. */
  @Property({ type: 'int' })
  corrected!: number;

  @Property({ type: 'datetime', length: 3 })
  startedAt!: Date;

  @Property({ type: 'datetime', length: 3, nullable: true })
  endedAt: Date | null = null;
}
