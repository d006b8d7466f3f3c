import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  Kind,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql';

const isLeaf = (selection: SelectionNode) => selection.kind === Kind.FIELD && !selection.selectionSet;

type Field = GraphQLField<unknown, unknown>;

/** `__schema` and `__type`, which no type declares. */
export const introspectionField = (name: string): Field | undefined =>
  [SchemaMetaFieldDef, TypeMetaFieldDef].find((field) => field.name === name);

/**
 * Computes the cost of introspection: each field costs 1 per type, field, argument or value that it is resolved for.
 * The schema is known, so lists count with their real length. A selection is counted once per element of the schema,
 * however many paths lead there.
 */
export class IntrospectionCost {
  private readonly counted = new Map<SelectionSetNode, Map<unknown, number>>();

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>,
    private readonly argumentsOf: (node: FieldNode, field: Field) => Record<string, unknown>,
  ) {}

  /** The cost of the selection below a field of `source`. */
  below(node: FieldNode, field: Field, source?: unknown): number {
    const type = getNamedType(field.type);
    if (!node.selectionSet || !isObjectType(type)) return 0;
    const info = { schema: this.schema } as GraphQLResolveInfo;
    const found: unknown = field.resolve?.(source, this.argumentsOf(node, field), undefined, info);
    const elements = Array.isArray(found) ? found : [found];
    let cost = 0;
    for (const element of elements) cost += this.of(node.selectionSet, type, element);
    return cost;
  }

  private of(selections: SelectionSetNode, type: GraphQLObjectType, element: unknown): number {
    if (element === undefined || element === null) return 0;
    if (selections.selections.every(isLeaf)) return selections.selections.length;
    const counted = this.counted.get(selections) ?? new Map<unknown, number>();
    this.counted.set(selections, counted);
    const known = counted.get(element);
    if (known !== undefined) return known;
    counted.set(element, 0); // only ends the recursion: validation refuses cycles of fragments
    let cost = 0;
    for (const selection of selections.selections) {
      if (selection.kind === Kind.FIELD) {
        const field = type.getFields()[selection.name.value];
        cost += 1 + (field ? this.below(selection, field, element) : 0);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        cost += this.of(selection.selectionSet, type, element);
      } else {
        const fragment = this.fragments.get(selection.name.value);
        if (fragment) cost += this.of(fragment.selectionSet, type, element);
      }
    }
    counted.set(element, cost);
    return cost;
  }
}
