import { registerEnumType } from 'type-graphql';

/** What an API token may do. A scope that writes does not include READ; what a mutation answers may be read. */
export const ApiScope = {
  READ: 'READ',
  TASKS: 'TASKS',
  COMPLETIONS: 'COMPLETIONS',
  CHALLENGES: 'CHALLENGES',
  PROFILE: 'PROFILE',
} as const;
export type ApiScope = keyof typeof ApiScope;

registerEnumType(ApiScope, {
  name: 'ApiScope',
  description: 'What an API token may do. A scope that writes does not include READ.',
  valuesConfig: {
    READ: { description: 'Read everything that is yours, and watch it.' },
    TASKS: { description: 'Make, change, move and put away tasks.' },
    COMPLETIONS: { description: 'Record completions and take them back.' },
    CHALLENGES: { description: 'Accept challenges, write notes on them and end them.' },
    PROFILE: { description: 'Change the profile, but no password.' },
  },
});
