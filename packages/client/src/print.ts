/** A node of a document as `graphql` parses it, which this package does without. */
export interface DocumentNode {
  readonly kind: string;
  readonly loc?: unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: which fields a node has depends on its kind
type Node = any;

const all = (nodes: readonly Node[] = [], separator = ' ') => nodes.map(print).join(separator);

const between = (open: string, nodes: readonly Node[] | undefined, close: string) =>
  nodes && nodes.length > 0 ? open + all(nodes) + close : '';

const directivesOf = ({ directives }: Node) => between(' ', directives, '');

const PRINTERS: Record<string, (node: Node) => string> = {
  Document: ({ definitions }) => all(definitions, '\n'),
  OperationDefinition: (node) =>
    `${node.operation} ${node.name?.value ?? ''}${between('(', node.variableDefinitions, ')')}${directivesOf(node)}${print(node.selectionSet)}`,
  FragmentDefinition: (node) =>
    `fragment ${node.name.value} on ${print(node.typeCondition)}${directivesOf(node)}${print(node.selectionSet)}`,
  VariableDefinition: (node) =>
    `${print(node.variable)}:${print(node.type)}${node.defaultValue ? `=${print(node.defaultValue)}` : ''}${directivesOf(node)}`,
  SelectionSet: ({ selections }) => `{${all(selections)}}`,
  Field: (node) =>
    `${node.alias ? `${node.alias.value}:` : ''}${node.name.value}${between('(', node.arguments, ')')}${directivesOf(node)}${node.selectionSet ? print(node.selectionSet) : ''}`,
  FragmentSpread: (node) => `...${node.name.value}${directivesOf(node)}`,
  InlineFragment: (node) =>
    `...${node.typeCondition ? ` on ${print(node.typeCondition)}` : ''}${directivesOf(node)}${print(node.selectionSet)}`,
  Argument: ({ name, value }) => `${name.value}:${print(value)}`,
  ObjectField: ({ name, value }) => `${name.value}:${print(value)}`,
  Directive: ({ name, arguments: given }) => `@${name.value}${between('(', given, ')')}`,
  Variable: ({ name }) => `$${name.value}`,
  NamedType: ({ name }) => name.value,
  ListType: ({ type }) => `[${print(type)}]`,
  NonNullType: ({ type }) => `${print(type)}!`,
  StringValue: ({ value }) => JSON.stringify(value),
  NullValue: () => 'null',
  ListValue: ({ values }) => `[${all(values)}]`,
  ObjectValue: ({ fields }) => `{${all(fields)}}`,
};

/** The text of a document; numbers, booleans and enums are their value. */
export function print(node: Node): string {
  return PRINTERS[node.kind]?.(node) ?? String(node.value);
}
