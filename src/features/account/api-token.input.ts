import 'reflect-metadata';
import { Field, InputType, registerEnumType } from 'type-graphql';
import { ApiScope } from '../../base/scopes.js';
import { Clearable, Instant, limits, SomeOf, written } from '../../base/validation.js';
import { Name } from './rules.js';

registerEnumType(ApiScope, {
  name: 'ApiScope',
  description:
    'What an API token may do. A scope that writes does not include READ: the payload of a mutation then shows the scalars of what it has changed, and of the user `id`, `points`, `streak`, `currentStreak`, `maxStreak` and `today`.',
  valuesConfig: {
    READ: { description: 'Read everything that is yours, and watch it.' },
    TASKS: {
      description: 'Make, change, move, archive, skip and pause tasks, and delete them with their history.',
    },
    COMPLETIONS: { description: 'Record completions, write notes on them, and undo them.' },
    CHALLENGES: { description: 'Accept challenges, write notes on them and end them.' },
    PROFILE: { description: 'Change the profile, but neither e-mail address nor password.' },
  },
});

/** In days, unless another time is given. */
export const API_TOKEN_DAYS = 90;

@InputType({ description: 'An API token to create.' })
export class CreateApiTokenInput {
  @Field({
    description: `What the token is for, not blank, at most ${written(limits.name)} characters, none of them invisible.`,
  })
  @Name({ max: limits.name })
  name!: string;

  @Field(() => [ApiScope], { description: 'What the token may do. At least one scope is needed.' })
  @SomeOf(Object.values(ApiScope))
  scopes!: ApiScope[];

  @Field(() => Date, {
    nullable: true,
    description: `When the token ends, in the future; null means never. Without this field it ends in ${API_TOKEN_DAYS} days.`,
  })
  @Clearable()
  @Instant()
  expiresAt?: Date | null;
}
