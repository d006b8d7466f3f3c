import 'reflect-metadata';
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** Log-ins that were tried within one stretch of time and have not succeeded. */
@Entity({ tableName: 'login_attempts' })
@Index({ name: 'login_attempts_started_at_index', properties: ['startedAt'] })
export class LoginAttempt {
  /** A digest of whom or whence; neither is kept. */
  @PrimaryKey({ type: 'text' })
  key!: string;

  @Property({ type: 'int' })
  count!: number;

  @Property({ type: 'datetime', length: 3 })
  startedAt!: Date;
}
