import 'reflect-metadata';
import { Field, ObjectType, registerEnumType } from 'type-graphql';
import type { ReasonTable, Refusal } from '../base/errors.js';

/** Has its values once a schema is made. */
export const ReasonEnum: Record<string, string> = {};

/** Every schema of a process has the same. */
export function declareReasons(reasons: ReasonTable): void {
  if (Object.keys(ReasonEnum).length > 0) return;
  const entries = Object.entries(reasons).filter(([, { isOfRest }]) => !isOfRest);
  for (const [reason] of entries) ReasonEnum[reason] = reason;
  registerEnumType(ReasonEnum, {
    name: 'Reason',
    description:
      'Why something was refused, for programs. Errors carry the same reasons in `extensions.reason`. Later releases may add reasons, and never change what one means.',
    valuesConfig: Object.fromEntries(
      entries.map(([reason, { meaning, advice }]) => [reason, { description: `${meaning} ${advice}` }]),
    ),
  });
}

@ObjectType({ simpleResolvers: true, description: 'What is at fault in an input.' })
export class RefusedField {
  @Field({ description: 'The argument, or the field of `input`.' })
  name!: string;

  @Field({ description: 'What is wrong with it, for people.' })
  message!: string;
}

/** As GraphQL says it. */
export const publicOf = (refusal: Refusal): Refusal => refusal.details.hidden ?? refusal;

export const refusedFieldsOf = ({ details: { fields = {} } }: Refusal): RefusedField[] =>
  Object.entries(fields).map(([name, message]) => ({ name, message }));
