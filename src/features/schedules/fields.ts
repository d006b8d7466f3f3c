import 'reflect-metadata';
import { Field, Float } from 'type-graphql';
import { Clearable, limits, Said, Text, written } from '../../base/validation.js';
import { Amount, Icon, Section, Tags, TargetRule } from './habit-rules.js';
import { scheduleLimits } from './limits.js';
import { ScheduleInput, ScheduleRule, TargetInput } from './schedule.input.js';

// Fields that several inputs have: all may be left out or null, which each says in its own words.

export const together =
  (...decorators: PropertyDecorator[]): PropertyDecorator =>
  (target, property) => {
    for (const decorate of decorators) decorate(target, property);
  };

const optional = (type: () => unknown, description: string, rule: PropertyDecorator) =>
  together(Field(type as () => StringConstructor, { nullable: true, description }), Clearable(), rule);

export const NoteField = (description = `A note on it, at most ${written(limits.note)} characters.`) =>
  optional(() => String, description, Text({ max: limits.note }));

export const WITHOUT_AMOUNT =
  'A completion without an amount counts as the target of the day, or as 1 for a limit or a target of a week or month.';

export const AmountField = () =>
  optional(
    () => Float,
    `How much was done: more than 0, at most ${written(scheduleLimits.amount)}, with three decimals at most. ${WITHOUT_AMOUNT}`,
    Amount(),
  );

export const ScheduleField = (description: string) =>
  optional(() => ScheduleInput, description, ScheduleRule());

export const TargetField = (description: string) => optional(() => TargetInput, description, TargetRule());

export const IconField = (description: string) => optional(() => String, description, Icon());

export const TagsField = (description: string) => optional(() => [String], description, Tags());

export const SectionField = (description: string) => optional(() => String, description, Section());

// Fields that are changed by themselves: null clears, and nothing is refused.

const said = (type: () => unknown, description: string, rule: PropertyDecorator) =>
  together(Field(type as () => StringConstructor, { nullable: true, description }), Said(), rule);

export const SaidNoteField = (description: string) =>
  said(() => String, description, Text({ max: limits.note }));

export const SaidSectionField = (description: string) => said(() => String, description, Section());
