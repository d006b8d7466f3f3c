import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
} from 'graphql';

type Kind = 'type' | 'field' | 'argument' | 'input field' | 'enum value';

/** Something a schema declares: `Query.tasks(first:)` is `Int = 50`. */
export interface Element {
  kind: Kind;
  name: string;
  at: string;
  is: string;
  description: string | null | undefined;
  deprecation?: string | null | undefined;
}

/** The types that are the schema's own. */
export const typesOf = (schema: GraphQLSchema): GraphQLNamedType[] =>
  Object.values(schema.getTypeMap()).filter(
    (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
  );

export const elementsOf = (schema: GraphQLSchema): Element[] =>
  typesOf(schema).flatMap((type) => [
    { kind: 'type', name: type.name, at: type.name, is: kindOf(type), description: type.description },
    ...partsOf(type).map((part) => ({ ...part, at: `${type.name}.${part.at}` })),
  ]);

const kindOf = (type: GraphQLNamedType) =>
  isScalarType(type) ? `scalar ${type.specifiedByURL}` : type.constructor.name;

function partsOf(type: GraphQLNamedType): Element[] {
  if (isEnumType(type)) {
    return type.getValues().map(({ name, description, deprecationReason }) => {
      const is = 'a value';
      return { kind: 'enum value', name, at: name, is, description, deprecation: deprecationReason };
    });
  }
  if (isInputObjectType(type)) {
    return Object.values(type.getFields()).map((field) => inputOf(field, 'input field'));
  }
  if (!isObjectType(type)) return [];
  return Object.values(type.getFields()).flatMap(({ name, type: ofField, args, ...field }): Element[] => [
    {
      kind: 'field',
      name,
      at: name,
      is: String(ofField),
      description: field.description,
      deprecation: field.deprecationReason,
    },
    ...args
      .map((argument) => inputOf(argument, 'argument'))
      .map((argument) => ({ ...argument, at: `${name}(${argument.at}:)` })),
  ]);
}

const inputOf = (input: GraphQLArgument | GraphQLInputField, kind: Kind): Element => ({
  kind,
  name: input.name,
  at: input.name,
  is:
    input.defaultValue === undefined
      ? String(input.type)
      : `${input.type} = ${JSON.stringify(input.defaultValue)}`,
  description: input.description,
  deprecation: input.deprecationReason,
});
