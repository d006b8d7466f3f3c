import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  getNullableType,
  getVariableValues,
  isIntrospectionType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import type { GraphqlLimits } from '../config.js';
import { limits as inputLimits } from '../validation.js';
import { IntrospectionCost, introspectionField } from './introspection-cost.js';

/**
 * In characters: the maximum length of a name. Error messages repeat names, and some repeat every name of the
 * document.
 */
export const MAX_NAME = 255;

export interface OperationCost {
  requested: number;
  maximum: number;
}

interface Size {
  depth: number;
  aliases: number;
  cost: number;
}

export const tooComplex = (limit: string, maximum: number, actual: number) =>
  new GraphQLError(`The query is too complex: its ${limit} of ${actual} is over the limit of ${maximum}`, {
    extensions: {
      code: 'QUERY_TOO_COMPLEX',
      reason: 'TOO_COMPLEX',
      limit,
      maximum,
      actual,
      http: { status: 400 },
    },
  });

type Counted = 'depth' | 'aliases' | 'root fields' | 'cost';

/** How large an operation is. */
export interface Measured {
  actual: Record<Counted, number>;
  /** Whether other variables may change it. */
  dependsOnVariables: boolean;
}

/** A field costs 1, and the fields below a list are counted once per row that the list may have. */
export const measure = (
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
): Measured => new Measure(schema, document, variables).of(operation);

/** Refuses an operation that exceeds a limit, before it is executed. Returns its cost. */
export function assertWithinLimits({ actual }: Measured, limits: GraphqlLimits): OperationCost {
  const maximum: Record<Counted, number> = {
    depth: limits.depth,
    aliases: limits.aliases,
    'root fields': limits.rootFields,
    cost: limits.cost,
  };
  for (const limit of Object.keys(actual) as Counted[]) {
    if (actual[limit] > maximum[limit]) throw tooComplex(limit, maximum[limit], actual[limit]);
  }
  return { requested: actual.cost, maximum: limits.cost };
}

/** The values of an operation's variables, or what is wrong with them. graphql-js would report every error. */
export const variablesOf = (
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  given: Record<string, unknown>,
) => getVariableValues(schema, variableDefinitions, given, { maxErrors: 1 });

/**
 * The variable may have been refused already: it can be anything, even a value that nests too deeply for a string.
 */
const instantOf = (day: unknown) => (typeof day === 'string' ? Date.parse(day) : Number.NaN);

/** Of each entry of an input: two lists of a hundred are the most of one request. */
const COST_OF_WRITING = 100;

const takesMany = ({ args }: GraphQLField<unknown, unknown>) =>
  args.some(({ name, type }) => name === 'input' && isListType(getNullableType(type)));

const NOTHING: Size = { depth: 0, aliases: 0, cost: 0 };

class Measure {
  private readonly fragments: Map<string, FragmentDefinitionNode>;
  /**
   * Each fragment is measured once, however often it is spread: otherwise a few lines would take exponential time.
   */
  private readonly measured = new Map<string, Size>();
  private readonly introspection: IntrospectionCost;
  private dependsOnVariables = false;

  constructor(
    private readonly schema: GraphQLSchema,
    document: DocumentNode,
    private readonly variables: Record<string, unknown>,
  ) {
    const definitions = document.definitions.filter((each) => each.kind === Kind.FRAGMENT_DEFINITION);
    this.fragments = new Map(definitions.map((each) => [each.name.value, each]));
    this.introspection = new IntrospectionCost(schema, this.fragments, (node, field) =>
      this.argumentsOf(node, field),
    );
  }

  of(operation: OperationDefinitionNode): Measured {
    const root = this.schema.getRootType(operation.operation);
    const { depth, aliases, cost } = root ? this.sizeOf(operation.selectionSet, root) : NOTHING;
    const actual = { depth, aliases, 'root fields': this.countFields(operation.selectionSet), cost };
    return { actual, dependsOnVariables: this.dependsOnVariables };
  }

  private sizeOf(selections: SelectionSetNode, type: GraphQLObjectType): Size {
    const size = { ...NOTHING };
    for (const selection of selections.selections) {
      const part =
        selection.kind === Kind.FIELD
          ? this.sizeOfField(selection, type)
          : selection.kind === Kind.INLINE_FRAGMENT
            ? this.sizeOf(selection.selectionSet, type)
            : this.sizeOfFragment(selection.name.value, type);
      size.depth = Math.max(size.depth, part.depth);
      size.aliases += part.aliases;
      size.cost += part.cost;
    }
    return size;
  }

  private sizeOfFragment(name: string, type: GraphQLObjectType): Size {
    const known = this.measured.get(name);
    if (known) return known;
    this.measured.set(name, NOTHING); // only ends the recursion: validation refuses cycles
    const fragment = this.fragments.get(name);
    const size = fragment ? this.sizeOf(fragment.selectionSet, type) : NOTHING;
    this.measured.set(name, size);
    return size;
  }

  private sizeOfField(node: FieldNode, parent: GraphQLObjectType): Size {
    const aliases = node.alias ? 1 : 0;
    const field = introspectionField(node.name.value) ?? parent.getFields()[node.name.value];
    if (!field) return { depth: 1, aliases, cost: 1 };
    const type = getNamedType(field.type);
    const below = node.selectionSet && isObjectType(type) ? this.sizeOf(node.selectionSet, type) : NOTHING;
    if (isIntrospectionType(type)) {
      // Not counted in depth: a type can be wrapped many times, and honest tools ask for all the wrappers.
      const cost = isIntrospectionType(parent) ? 1 : 1 + this.introspection.below(node, field);
      return { depth: 1, aliases: aliases + below.aliases, cost };
    }
    return {
      depth: 1 + below.depth,
      aliases: aliases + below.aliases,
      cost: 1 + this.rowsOf(node, field) * (below.cost + (takesMany(field) ? COST_OF_WRITING : 0)),
    };
  }

  /**
   * The maximum number of rows of a field: `first`, the length of a list `input`, or the days from `from` to `to`,
   * given as literal, variable or default.
   */
  private rowsOf(node: FieldNode, field: GraphQLField<unknown, unknown>): number {
    const names = field.args.map(({ name }) => name);
    const isOfMany = takesMany(field);
    if (!isOfMany && !names.includes('first') && !names.includes('from')) return 1;
    const { first, from, to, input } = this.argumentsOf(node, field);
    if (isOfMany) return Array.isArray(input) ? Math.max(input.length, 1) : 1;
    if (names.includes('first')) {
      const size = typeof first === 'number' ? first : inputLimits.pageSizeDefault;
      return Math.min(Math.max(size, 1), inputLimits.pageSize);
    }
    const days = (instantOf(to) - instantOf(from)) / 86_400_000 + 1;
    return Math.min(Math.max(days || 1, 1), inputLimits.calendarDays);
  }

  private argumentsOf(node: FieldNode, field: GraphQLField<unknown, unknown>): Record<string, unknown> {
    this.dependsOnVariables ||= node.arguments?.some(({ value }) => value.kind === Kind.VARIABLE) ?? false;
    try {
      return getArgumentValues(field, node, this.variables);
    } catch {
      return {}; // execution will report the error
    }
  }

  private countFields(selections: SelectionSetNode, seen = new Set<string>()): number {
    return selections.selections.reduce((count, selection) => {
      if (selection.kind === Kind.FIELD) return count + 1;
      if (selection.kind === Kind.INLINE_FRAGMENT)
        return count + this.countFields(selection.selectionSet, seen);
      const fragment = this.fragments.get(selection.name.value);
      if (!fragment || seen.has(selection.name.value)) return count;
      return count + this.countFields(fragment.selectionSet, seen.add(selection.name.value));
    }, 0);
  }
}
