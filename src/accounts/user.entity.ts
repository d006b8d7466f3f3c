import 'reflect-metadata';
import { OptionalProps } from '@mikro-orm/core';
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, Float, ID, Int, ObjectType } from 'type-graphql';

/** Who someone is: changes rarely, and never when a task is completed. */
@ObjectType({ description: 'A person with an account.' })
@Entity({ tableName: 'users' })
@Index({
  name: 'users_email_unique',
  // Other foldings than that of "C" differ between databases.
  expression: 'create unique index "users_email_unique" on "users" (lower("email" collate "C"))',
})
export class User {
  [OptionalProps]?: 'points' | 'currentStreak' | 'maxStreak';

  @Field(() => ID, { description: 'A UUID.' })
  @PrimaryKey({ type: 'uuid' })
  id!: string;

  @Field({ description: 'The display name.' })
  @Property({ type: 'text' })
  name!: string;

  @Field({ description: 'As written at sign-up; unique whatever its case.' })
  @Property({ type: 'text' })
  email!: string;

  @Property({ type: 'text' })
  passwordHash!: string;

  @Field(() => String, { nullable: true, description: 'The URL of a picture.' })
  @Property({ type: 'text', nullable: true })
  profilePicture: string | null = null;

  @Field({ description: 'When the account was made.' })
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field({ description: 'When the profile was last updated; completions do not count.' })
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;

  // The counters live in a row of their own; whoever reads a user joins it.

  @Field(() => Float, { description: 'Everything earned by completions.' })
  points!: number;

  @Field(() => Int, {
    description: 'Days in a row, as counted at completions and corrected by the nightly job.',
  })
  currentStreak!: number;

  @Field(() => Int, { description: 'The highest streak of all time.' })
  maxStreak!: number;
}
