import 'reflect-metadata';
import { Field, InputType, Int } from 'type-graphql';
import { TimeOfDay, TimeZoneName } from '../graphql/scalars.js';
import { Language } from '../languages/language.js';
import { Weekday } from '../schedules/schedule.js';
import {
  Clearable,
  Email,
  KnownEmail,
  limits,
  Name,
  Omittable,
  OneOf,
  Password,
  StartOfDay,
  Text,
  WebAddress,
  written,
} from '../validation.js';
import { WEEK_STARTS, type WeekStart } from './progress.entity.js';

@InputType({ description: 'An account to create.' })
export class SignUpInput {
  @Field({
    description: `The display name, not blank, at most ${written(limits.name)} characters, none of them invisible.`,
  })
  @Name({ max: limits.name })
  name!: string;

  @Field({
    description: `The e-mail address: unique among all accounts, whatever its case, at most ${limits.email} characters.`,
  })
  @Email()
  email!: string;

  @Field({
    description: `The password: at least ${limits.passwordMin} characters. Every character of a long one counts.`,
  })
  @Password()
  password!: string;
}

@InputType({ description: 'The credentials of an account.' })
export class LogInInput {
  @Field({ description: 'The e-mail address of the account, whatever its case.' })
  @KnownEmail()
  email!: string;

  @Field({ description: 'The password of the account.' })
  @Text()
  password!: string;
}

/** What both APIs can change. GraphQL knows the input below by this name. */
@InputType('CommonProfileInput', { description: 'Only the fields that are given change.' })
export class UpdateProfileInput {
  @Field(() => String, { nullable: true, description: 'The new display name.' })
  @Omittable()
  @Name({ max: limits.name })
  name?: string;

  @Field(() => String, {
    nullable: true,
    description: `The URL of a picture, http or https, at most ${written(limits.pictureUrl)} characters; null clears it.`,
  })
  @Clearable()
  @WebAddress({ max: limits.pictureUrl })
  profilePicture?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The new e-mail address; it must not belong to another account.',
  })
  @Omittable()
  @Email()
  email?: string;

  @Field(() => String, {
    nullable: true,
    description: `The new password: at least ${limits.passwordMin} characters. Tokens stay valid.`,
  })
  @Omittable()
  @Password()
  newPassword?: string;
}

/** What GraphQL can change besides: REST knows UTC days only, and ignores these fields as any that it does not know. */
@InputType('UpdateProfileInput', { description: 'Only the fields that are given change.' })
export class UpdateProfileAndDaysInput extends UpdateProfileInput {
  @Field(() => TimeZoneName, {
    nullable: true,
    description:
      'The zone in which your days begin and end from now on. Days that were counted stay as they are.',
  })
  @Omittable()
  @Text({ max: limits.timeZone, blank: false, controls: false })
  timeZone?: string;

  @Field(() => Int, {
    nullable: true,
    description: `The hour, ${limits.dayStartsAt.min} to ${limits.dayStartsAt.max}, at which your day begins from now on.`,
  })
  @Omittable()
  @StartOfDay()
  dayStartsAt?: number;

  @Field(() => Weekday, {
    nullable: true,
    description: `The day with which your weeks begin: ${WEEK_STARTS.join(', ')}.`,
  })
  @Omittable()
  @OneOf(WEEK_STARTS)
  weekStartsOn?: WeekStart;

  @Field(() => Language, {
    nullable: true,
    description: 'The language of the page and of all messages; null means the language of the device.',
  })
  @Clearable()
  @OneOf(Object.keys(Language))
  language?: Language | null;

  @Field(() => TimeOfDay, {
    nullable: true,
    description: 'The time at which to be reminded of what is still open on the day; null means never.',
  })
  @Clearable()
  @Text()
  dayReminder?: string | null;
}
