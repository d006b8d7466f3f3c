import 'reflect-metadata';
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { UserProgress } from '../account/progress.entity.js';
import { OwnedBy } from '../account/user.entity.js';

@ObjectType({
  simpleResolvers: true,
  description: 'An address at which other calendars read the days of your tasks.',
})
@Entity({ tableName: 'calendar_feeds' })
@Index({ name: 'calendar_feeds_user_id_created_at_index', properties: ['userId', 'createdAt'] })
@Index({
  name: 'calendar_feeds_digest_unique',
  expression: 'create unique index "calendar_feeds_digest_unique" on "calendar_feeds" ("digest")',
})
export class CalendarFeed {
  @Field(() => ID, { description: 'The id of the calendar: a UUID.' })
  @PrimaryKey({ type: 'uuid' })
  id!: string;

  @OwnedBy(() => UserProgress)
  userId!: string;

  @Field({ description: 'What the calendar is called where it is shown.' })
  @Property({ type: 'text' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'Only tasks with this tag; null means all.' })
  @Property({ type: 'text', nullable: true })
  tag: string | null = null;

  @Field(() => String, { nullable: true, description: 'Only tasks of this section; null means all.' })
  @Property({ type: 'text', nullable: true })
  section: string | null = null;

  @Field({ description: 'Whether entries of today have a link that completes the task.' })
  @Property({ type: 'boolean' })
  links!: boolean;

  /** The SHA-256, in base64url, of the part of the address that nobody can guess. */
  @Property({ type: 'text' })
  digest!: string;

  @Field({ description: 'When the calendar was made.' })
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date, {
    nullable: true,
    description: 'When the calendar was last read, to about a minute; null if it was not read yet.',
  })
  @Property({ type: 'datetime', length: 3, nullable: true })
  lastReadAt: Date | null = null;
}
