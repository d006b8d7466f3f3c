import 'reflect-metadata';
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** A lease: a process listens for the announcements to one user. Without a lease, none are sent. */
@Entity({ tableName: 'listeners' })
@Index({ name: 'listeners_process_id_index', properties: ['processId'] })
export class Listener {
  static readonly isOnCoordinator = true;
  static readonly isPassing = true;

  @PrimaryKey({ type: 'uuid' })
  userId!: string;

  @PrimaryKey({ type: 'uuid' })
  processId!: string;

  /** Renewed while the process lives, so that the leases of a dead one expire. */
  @Property({ type: 'datetime', length: 3 })
  until!: Date;
}
