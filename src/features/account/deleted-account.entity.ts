import 'reflect-metadata';
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** All that is left of an account: nobody can be recognised by it. */
@Entity({ tableName: 'deleted_accounts' })
@Index({ name: 'deleted_accounts_deleted_at_index', properties: ['deletedAt'] })
export class DeletedAccount {
  /** The user's id. */
  @PrimaryKey({ type: 'uuid' })
  id!: string;

  @Property({ type: 'datetime', length: 3 })
  deletedAt!: Date;
}
