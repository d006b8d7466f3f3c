import {
  type DocumentNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** The names of the fields at the root of an operation of a valid document, without their aliases. */
export function rootFieldsOf(document: DocumentNode, { selectionSet }: OperationDefinitionNode): string[] {
  const names = new Set<string>();
  const spread = new Set<string>();
  const read = ({ selections }: SelectionSetNode) => selections.forEach(take);
  const take = (selection: SelectionNode) => {
    if (selection.kind === Kind.FIELD) names.add(selection.name.value);
    else if (selection.kind === Kind.INLINE_FRAGMENT) read(selection.selectionSet);
    else if (!spread.has(selection.name.value)) {
      spread.add(selection.name.value);
      for (const each of document.definitions)
        if (each.kind === Kind.FRAGMENT_DEFINITION && each.name.value === selection.name.value)
          read(each.selectionSet);
    }
  };
  read(selectionSet);
  return [...names];
}
