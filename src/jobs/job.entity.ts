import 'reflect-metadata';
import { OptionalProps } from '@mikro-orm/core';
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** Something that is to be done beside requests, by whichever process takes it first. Done, its row goes. */
@Entity({ tableName: 'jobs' })
@Index({
  name: 'jobs_kind_key_unique',
  expression: 'create unique index "jobs_kind_key_unique" on "jobs" ("kind", "key")',
})
@Index({
  name: 'jobs_lane_run_at_index',
  expression:
    'create index "jobs_lane_run_at_index" on "jobs" ("kind", "lane", "run_at") where "run_at" is not null',
})
@Index({ name: 'jobs_kind_created_at_index', properties: ['kind', 'createdAt'] })
@Index({
  name: 'jobs_user_id_index',
  expression: 'create index "jobs_user_id_index" on "jobs" ("user_id") where "user_id" is not null',
})
export class Job<Payload = unknown> {
  static readonly isPassing = true;

  [OptionalProps]?: 'attempts' | 'isHeld';

  /** It stays for all attempts. */
  @PrimaryKey({ type: 'uuid' })
  id!: string;

  /** Names who carries it out. */
  @Property({ type: 'text' })
  kind!: string;

  /** Of two with one key there is one. */
  @Property({ type: 'text' })
  key!: string;

  /** Whose account it goes with. No foreign key: nothing of the account is locked to leave a job. */
  @Property({ type: 'uuid', nullable: true })
  userId: string | null = null;

  /** What takes only so much at a time: a host, a session. */
  @Property({ type: 'text' })
  lane!: string;

  @Property({ type: 'json', columnType: 'jsonb' })
  payload!: Payload;

  /** What is too old is given up. */
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  /** From when on it may be taken: while it is held, the end of the lease. Null where nobody tries any more. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  runAt: Date | null = null;

  /** Raised by whoever takes it, so that it also names one taking. */
  @Property({ type: 'int', default: 0 })
  attempts!: number;

  /** A process is at it, or has died at it. */
  @Property({ type: 'boolean', default: false })
  isHeld!: boolean;
}
