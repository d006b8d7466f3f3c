import 'reflect-metadata';
import { Field, InputType } from 'type-graphql';
import { ApiScope } from '../scopes.js';
import { Clearable, Instant, limits, Name, SomeOf, written } from '../validation.js';

/** In days, unless another time is given. */
export const API_TOKEN_DAYS = 90;

@InputType({ description: 'An API token to create.' })
export class CreateApiTokenInput {
  @Field({
    description: `What it is for, not blank, at most ${written(limits.name)} characters, none of them invisible.`,
  })
  @Name({ max: limits.name })
  name!: string;

  @Field(() => [ApiScope], { description: 'What it may do: at least one.' })
  @SomeOf(Object.values(ApiScope))
  scopes!: ApiScope[];

  @Field(() => Date, {
    nullable: true,
    description: `When it ends, in the future; null: never; left out: in ${API_TOKEN_DAYS} days.`,
  })
  @Clearable()
  @Instant()
  expiresAt?: Date | null;
}
