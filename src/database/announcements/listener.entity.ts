import 'reflect-metadata';
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** A process that wants to hear what is announced to a user. Without one, nothing is said. */
@Entity({ tableName: 'listeners' })
@Index({ name: 'listeners_process_id_index', properties: ['processId'] })
export class Listener {
  @PrimaryKey({ type: 'uuid' })
  userId!: string;

  @PrimaryKey({ type: 'uuid' })
  processId!: string;

  /** Renewed while the process lives, so that what a dead one left behind is forgotten. */
  @Property({ type: 'datetime', length: 3 })
  until!: Date;
}
