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

/** Something a schema declares: `Query.tasks(first:)` is `Int = 50`. */
interface Element {
  kind: 'type' | 'field' | 'argument' | 'input field' | 'enum value';
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
    return type.getValues().map(({ name, description, deprecationReason: deprecation }) => {
      return { kind: 'enum value', name, at: name, is: 'a value', description, deprecation };
    });
  }
  if (isInputObjectType(type)) {
    return Object.values(type.getFields()).map((field) => inputOf(field, 'input field'));
  }
  if (!isObjectType(type)) return [];
  return Object.values(type.getFields()).flatMap((field): Element[] => {
    const { name, description, deprecationReason: deprecation } = field;
    const args = field.args.map((each) => inputOf(each, 'argument'));
    return [
      { kind: 'field', name, at: name, is: String(field.type), description, deprecation },
      ...args.map((argument) => ({ ...argument, at: `${name}(${argument.at}:)` })),
    ];
  });
}

const inputOf = (input: GraphQLArgument | GraphQLInputField, kind: Element['kind']): Element => ({
  kind,
  name: input.name,
  at: input.name,
  is: `${input.type}${input.defaultValue === undefined ? '' : ` = ${JSON.stringify(input.defaultValue)}`}`,
  description: input.description,
  deprecation: input.deprecationReason,
});
