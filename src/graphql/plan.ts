import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getDirectiveValues,
  getNamedType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionNode,
  type SelectionSetNode,
  TypeNameMetaFieldDef,
} from 'graphql';
import { type Operation, PlannedField, Selection } from './plan-fields.js';
import { type Complete, completeLeaf, completeList, nullable, required } from './plan-values.js';

/** The operation needs what only graphql-js can do. */
class CannotBePlanned extends Error {}

/**
 * The plan of an operation: which fields it has, how each is resolved and its value completed. graphql-js finds that
 * out anew for every field of every row.
 *
 * Undefined for what a plan does not know: introspection, abstract types, conditions that depend on variables, and
 * more than `maxFields` fields.
 */
export function planOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  maxFields: number,
): Selection | undefined {
  const root = schema.getRootType(operation.operation);
  if (!root) return undefined;
  try {
    const isSerial = operation.operation === OperationTypeNode.MUTATION;
    return new Planner(schema, document, operation, maxFields).selectionOf(
      root,
      [operation.selectionSet],
      isSerial,
    );
  } catch (error) {
    if (error instanceof CannotBePlanned) return undefined;
    throw error;
  }
}

class Planner {
  private readonly operation: Operation;
  private left: number;

  constructor(
    schema: GraphQLSchema,
    document: DocumentNode,
    definition: OperationDefinitionNode,
    maxFields: number,
  ) {
    const fragments: Record<string, FragmentDefinitionNode> = Object.create(null);
    for (const each of document.definitions) {
      if (each.kind === Kind.FRAGMENT_DEFINITION) fragments[each.name.value] = each;
    }
    this.operation = { schema, fragments, definition };
    this.left = maxFields;
  }

  selectionOf(type: GraphQLObjectType, sets: SelectionSetNode[], isSerial = false): Selection {
    if (type.isTypeOf) throw new CannotBePlanned();
    const grouped = new Map<string, FieldNode[]>();
    const visited = new Set<string>();
    for (const set of sets) this.collect(set.selections, { type, grouped, visited });
    const before = this.left;
    const fields = [...grouped].map(([key, nodes]) => this.fieldOf(type, key, nodes));
    return new Selection(fields, before - this.left, isSerial);
  }

  private collect(
    selections: readonly SelectionNode[],
    into: { type: GraphQLObjectType; grouped: Map<string, FieldNode[]>; visited: Set<string> },
  ): void {
    const { type, grouped, visited } = into;
    for (const selection of selections) {
      if (!isIncluded(selection)) continue;
      if (selection.kind === Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value;
        grouped.set(key, [...(grouped.get(key) ?? []), selection]);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        if (this.applies(selection.typeCondition?.name.value, type)) {
          this.collect(selection.selectionSet.selections, into);
        }
      } else {
        const name = selection.name.value;
        const fragment = this.operation.fragments[name];
        if (!fragment || visited.has(name)) continue;
        visited.add(name);
        if (this.applies(fragment.typeCondition.name.value, type)) {
          this.collect(fragment.selectionSet.selections, into);
        }
      }
    }
  }

  private applies(condition: string | undefined, type: GraphQLObjectType): boolean {
    if (condition !== undefined && !isObjectType(this.operation.schema.getType(condition)))
      throw new CannotBePlanned();
    return condition === undefined || condition === type.name;
  }

  private fieldOf(parent: GraphQLObjectType, key: string, nodes: FieldNode[]): PlannedField {
    this.left -= 1;
    const name = nodes[0]?.name.value ?? '';
    const field = name === TypeNameMetaFieldDef.name ? TypeNameMetaFieldDef : parent.getFields()[name];
    const isKnown = field !== undefined && key !== '__proto__' && this.left >= 0; // such a key would be lost in an object
    if (!isKnown) throw new CannotBePlanned();
    const below = (type: GraphQLObjectType) =>
      this.selectionOf(
        type,
        nodes.flatMap(({ selectionSet }) => selectionSet ?? []),
      );
    const complete = completionOf(field.type, { parent, field, nodes, below });
    return new PlannedField(this.operation, {
      key,
      parent,
      field,
      nodes,
      complete,
      isLeaf: isLeafType(getNamedType(field.type)),
    });
  }
}

interface Place {
  parent: GraphQLObjectType;
  field: GraphQLField<unknown, unknown>;
  nodes: FieldNode[];
  below: (type: GraphQLObjectType) => Selection;
}

function completionOf(type: GraphQLOutputType, place: Place): Complete {
  if (isNonNullType(type)) return required(completionOf(type.ofType, place), placeOf(place));
  if (isListType(type)) {
    const isNullable = !isNonNullType(type.ofType);
    return nullable(
      completeList(completionOf(type.ofType, place), { ...place, isNullable, name: placeOf(place) }),
    );
  }
  if (isLeafType(type)) return nullable(completeLeaf(type));
  if (isObjectType(type)) return belowOf(place.below(type));
  throw new CannotBePlanned();
}

const belowOf = (selection: Selection): Complete =>
  nullable((execution, value, path) => selection.resolve(execution, value, path));

const placeOf = ({ parent, field }: Place) => `${parent.name}.${field.name}`;

function isIncluded(node: SelectionNode): boolean {
  if (!node.directives?.length) return true;
  const usesVariables = node.directives.some(({ arguments: given }) =>
    given?.some(({ value }) => value.kind === Kind.VARIABLE),
  );
  if (usesVariables) throw new CannotBePlanned();
  const skipped = getDirectiveValues(GraphQLSkipDirective, node)?.if === true;
  return !skipped && getDirectiveValues(GraphQLIncludeDirective, node)?.if !== false;
}
