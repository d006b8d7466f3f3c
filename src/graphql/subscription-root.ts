import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  OperationTypeNode,
  type SelectionNode,
} from 'graphql';

/**
 * The spec allows one root field in a subscription, whatever the variables (5.2.4.1). graphql-js 16 does not refuse
 * conditions there; instead it throws, either during validation or because no field is left to subscribe to.
 */
export function conditionAtRoot(document: DocumentNode): GraphQLError | undefined {
  const fragments = new Map(
    document.definitions
      .filter((each): each is FragmentDefinitionNode => each.kind === Kind.FRAGMENT_DEFINITION)
      .map((each) => [each.name.value, each]),
  );
  const isConditional = (selection: SelectionNode): boolean => {
    if (selection.directives?.some(({ name }) => /^(skip|include)$/.test(name.value))) return true;
    if (selection.kind === Kind.FIELD) return false;
    if (selection.kind === Kind.INLINE_FRAGMENT) return selection.selectionSet.selections.some(isConditional);
    const fragment = fragments.get(selection.name.value);
    fragments.delete(selection.name.value); // each fragment is visited once
    return fragment?.selectionSet.selections.some(isConditional) ?? false;
  };
  const subscription = document.definitions.find(
    (each) =>
      each.kind === Kind.OPERATION_DEFINITION &&
      each.operation === OperationTypeNode.SUBSCRIPTION &&
      each.selectionSet.selections.some(isConditional),
  );
  if (!subscription) return undefined;
  return new GraphQLError('A subscription must not use @skip or @include at its root.', {
    nodes: subscription,
    extensions: { code: 'GRAPHQL_VALIDATION_FAILED', http: { status: 400 } },
  });
}
