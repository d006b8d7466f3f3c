import 'reflect-metadata';
import { Field, InputType, Int } from 'type-graphql';
import { Language } from '../../base/languages/language.js';
import { Clearable, Flag, limits, Omittable, OneOf, Text, written } from '../../base/validation.js';
import { TimeOfDay, TimeZoneName } from '../../graphql/scalars.js';
import { Weekday } from '../schedules/schedule.js';
import { accountLimits } from './limits.js';
import { WEEK_STARTS, type WeekStart } from './progress.entity.js';
import { Email, KnownEmail, Name, Password, StartOfDay, WebAddress } from './rules.js';

@InputType({ description: 'An account to create.' })
export class SignUpInput {
  @Field({
    description: `The display name, not blank, at most ${written(limits.name)} characters, none of them invisible.`,
  })
  @Name({ max: limits.name })
  name!: string;

  @Field({
    description: `The e-mail address: unique among all accounts, whatever its case, at most ${accountLimits.email} characters.`,
  })
  @Email()
  email!: string;

  @Field({
    description: `The password: at least ${accountLimits.passwordMin} characters. Every character of a long one counts.`,
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

const NEW_NAME = `The new display name, not blank, at most ${written(limits.name)} characters. It cannot be null.`;
const PICTURE = `The URL of a picture, http or https, at most ${written(accountLimits.pictureUrl)} characters; null clears it.`;

/** What both APIs can change. GraphQL knows the input below by this name. */
@InputType('CommonProfileInput', { description: 'Only the fields that are given change.' })
export class ProfileInput {
  @Field(() => String, { nullable: true, description: NEW_NAME })
  @Omittable()
  @Name({ max: limits.name })
  name?: string;

  @Field(() => String, { nullable: true, description: PICTURE })
  @Clearable()
  @WebAddress({ max: accountLimits.pictureUrl })
  profilePicture?: string | null;
}

/** In REST, where all of a profile is changed at one address. What it asks for, and first complains of, has this order. */
@InputType('RestProfileInput', { description: 'Only the fields that are given change.' })
export class UpdateProfileInput implements ProfileInput {
  @Field(() => String, { nullable: true, description: NEW_NAME })
  @Omittable()
  @Name({ max: limits.name })
  name?: string;

  @Field(() => String, { nullable: true, description: PICTURE })
  @Clearable()
  @WebAddress({ max: accountLimits.pictureUrl })
  profilePicture?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The new e-mail address; it must not belong to another account, and cannot be null. The former address hears of it.',
  })
  @Omittable()
  @Email()
  email?: string;

  @Field(() => String, {
    nullable: true,
    description: `The new password: at least ${accountLimits.passwordMin} characters. Tokens stay valid.`,
  })
  @Omittable()
  @Password()
  newPassword?: string;
}

/** Of an account that is to be changed by its owner alone. */
@InputType({ description: 'A change that its owner alone can make.' })
abstract class ProvenInput {
  @Field(() => String, {
    nullable: true,
    description: 'Your password. Leave it out only if your account has none.',
  })
  @Clearable()
  @Text()
  currentPassword?: string | null;
}

@InputType({ description: 'A new password.' })
export class ChangePasswordInput extends ProvenInput {
  @Field({
    description: `The new password: at least ${accountLimits.passwordMin} characters. Tokens stay valid.`,
  })
  @Password()
  newPassword!: string;
}

@InputType({ description: 'A new e-mail address.' })
export class ChangeEmailInput extends ProvenInput {
  @Field({ description: 'The new e-mail address; it must not belong to another account.' })
  @Email()
  newEmail!: string;
}

/** What GraphQL can change besides: REST knows UTC days only, and ignores these fields as any that it does not know. */
@InputType('UpdateProfileInput', { description: 'Only the fields that are given change.' })
export class UpdateProfileAndDaysInput extends ProfileInput {
  @Field(() => TimeZoneName, {
    nullable: true,
    description:
      'The zone in which your days begin and end from now on. Days that were counted stay as they are. It cannot be null.',
  })
  @Omittable()
  @Text({ max: accountLimits.timeZone, blank: false, controls: false })
  timeZone?: string;

  @Field(() => Int, {
    nullable: true,
    description: `The hour, ${accountLimits.dayStartsAt.min} to ${accountLimits.dayStartsAt.max}, at which your day begins from now on. It cannot be null.`,
  })
  @Omittable()
  @StartOfDay()
  dayStartsAt?: number;

  @Field(() => Weekday, {
    nullable: true,
    description: `The day with which your weeks begin: ${WEEK_STARTS.join(', ')}. It cannot be null.`,
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

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether every change is kept as an event from now on, for programs that follow them. Turning it off forgets the events. It cannot be null.',
  })
  @Omittable()
  @Flag()
  eventFeed?: boolean;
}
