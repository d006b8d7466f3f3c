import 'reflect-metadata';
import { Entity, PrimaryKey } from '@mikro-orm/decorators/legacy';

/** The database was restored or moved: generations of tokens go on above all that were given before. */
@Entity({ tableName: 'restores' })
export class Restore {
  static readonly isPassing = true;

  @PrimaryKey({ type: 'datetime', length: 3 })
  restoredAt!: Date;
}
