import 'reflect-metadata';
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** Failed log-ins counted together within one window of time. */
@Entity({ tableName: 'login_attempts' })
@Index({ name: 'login_attempts_started_at_index', properties: ['startedAt'] })
export class LoginAttempt {
  static readonly isOnCoordinator = true;
  static readonly isPassing = true;

  /** A hash of the account or the address; neither is stored in plain text. */
  @PrimaryKey({ type: 'text' })
  key!: string;

  @Property({ type: 'int' })
  count!: number;

  @Property({ type: 'datetime', length: 3 })
  startedAt!: Date;
}
