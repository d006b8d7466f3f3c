import { registerEnumType } from 'type-graphql';

type Enum<Name extends string> = { readonly [Each in Name]: Each };

/** An enum, for TypeScript and for GraphQL, from what the schema says of each of its values. */
export function enumOf<Name extends string>(
  name: string,
  description: string,
  values: Record<Name, string>,
): Enum<Name> {
  const entries = Object.entries<string>(values);
  const type = Object.fromEntries(entries.map(([each]) => [each, each])) as Enum<Name>;
  const described = entries.map(([each, description]) => [each, { description }]);
  registerEnumType(type, { name, description, valuesConfig: Object.fromEntries(described) });
  return type;
}
