import 'reflect-metadata';
import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** What the service as a whole has to remember: the keys of Web Push, and whether reminders are held back. */
@Entity({ tableName: 'kept_values' })
export class StoredValue {
  @PrimaryKey({ type: 'text' })
  name!: string;

  @Property({ type: 'text' })
  value!: string;
}
