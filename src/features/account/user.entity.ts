import 'reflect-metadata';
import { OptionalProps } from '@mikro-orm/core';
import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, Float, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { Language } from '../../base/languages/language.js';
import { Access } from '../../graphql/schema.js';
import { accountLimits } from './limits.js';

registerEnumType(Language, {
  name: 'Language',
  description: 'A language in which a person is spoken to. The APIs are in English.',
  valuesConfig: {
    EN: { description: 'English.' },
    DE: { description: 'German.' },
    ES: { description: 'Spanish.' },
    FR: { description: 'French.' },
    PT_BR: { description: 'Brazilian Portuguese.' },
  },
});

/** Whose a row is: a part of its key. The row goes with the account. */
export const OwnedBy = (owner: () => new () => object) =>
  ManyToOne(owner, {
    primary: true,
    mapToPk: true,
    fieldName: 'user_id',
    deleteRule: 'cascade',
    updateRule: 'no action',
  });

/** Identity and profile: changes rarely, and never on a completion. The counters have a row of their own. */
@Access('PROFILE')
@ObjectType({ simpleResolvers: true, description: 'A person with an account.' })
@Entity({ tableName: 'users' })
@Index({
  name: 'users_email_unique',
  // Databases fold case differently in every collation but "C".
  expression: 'create unique index "users_email_unique" on "users" (lower("email" collate "C"))',
})
export class User {
  [OptionalProps]?: 'tokenGeneration' | 'points' | 'currentStreak' | 'maxStreak' | 'dayStartsAt';

  @Access('OPEN')
  @Field(() => ID, { description: 'The id: a UUID, the same in GraphQL and REST.' })
  @PrimaryKey({ type: 'uuid' })
  id!: string;

  @Field({ description: 'The display name.' })
  @Property({ type: 'text' })
  name!: string;

  @Access('READ')
  @Field({
    description: 'The e-mail address as it was entered; unique among all accounts, whatever its case.',
  })
  @Property({ type: 'text' })
  email!: string;

  @Field(() => Date, {
    nullable: true,
    description: 'When the user confirmed that the e-mail address is theirs; null if they have not.',
  })
  @Property({ type: 'datetime', length: 3, nullable: true })
  emailConfirmedAt: Date | null = null;

  /** It is null if the account has no password. */
  @Property({ type: 'text', nullable: true })
  passwordHash: string | null = null;

  /** Raised to end every token issued until then; a token names the generation it belongs to. */
  @Property({ type: 'int', default: 0 })
  tokenGeneration!: number;

  /** Since when the operator lets nobody in by it, and nothing of it rings; null if they do. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  suspendedAt: Date | null = null;

  @Field(() => String, { nullable: true, description: 'The URL of a picture; null if none is set.' })
  @Property({ type: 'text', nullable: true })
  profilePicture: string | null = null;

  @Field(() => Language, {
    nullable: true,
    description: 'The language of the page and of all messages; null means the language of the device.',
  })
  @Property({ type: 'text', nullable: true })
  language: Language | null = null;

  @Field({ description: 'When the account was created.' })
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field({ description: 'When the profile was last edited. Completing tasks is no edit.' })
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;

  // Columns of user_progress, joined when a user is read.

  @Access('OPEN')
  @Field(() => Float, { description: 'The points earned by all completions.' })
  points!: number;

  @Access('OPEN')
  @Field(() => Int, {
    description:
      'The streak counter of the REST specification, in UTC days: the first completion of a day raises it, and an hourly job corrects it. Show people `User.streak` of GraphQL instead: it is exact at any time, and follows their time zone.',
  })
  currentStreak!: number;

  @Access('OPEN')
  @Field(() => Int, { description: 'The longest streak ever, in UTC days as REST counts them.' })
  maxStreak!: number;

  @Field(() => Int, {
    description: `The hour, ${accountLimits.dayStartsAt.min} to ${accountLimits.dayStartsAt.max}, at which this user's day begins.`,
  })
  dayStartsAt!: number;
}
