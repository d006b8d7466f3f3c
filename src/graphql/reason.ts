import 'reflect-metadata';
import { Field, ObjectType, registerEnumType } from 'type-graphql';
import { type Reason, type Refusal, reasons } from '../errors.js';

const entries = Object.entries(reasons) as [Reason, (typeof reasons)[Reason]][];

export const ReasonEnum = Object.fromEntries(entries.map(([reason]) => [reason, reason]));

registerEnumType(ReasonEnum, {
  name: 'Reason',
  description:
    'Why something was refused, for programs. Errors carry the same reasons in `extensions.reason`. Later releases may add reasons, and never change what one means.',
  valuesConfig: Object.fromEntries(
    entries.map(([reason, { meaning, advice }]) => [reason, { description: `${meaning} ${advice}` }]),
  ),
});

@ObjectType({ simpleResolvers: true, description: 'An input field that was refused.' })
export class RefusedField {
  @Field({ description: 'The name of the field.' })
  name!: string;

  @Field({ description: 'What is wrong with it, for people.' })
  message!: string;
}

export const refusedFieldsOf = ({ details: { fields = {} } }: Refusal): RefusedField[] =>
  Object.entries(fields).map(([name, message]) => ({ name, message }));
