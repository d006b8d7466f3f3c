import {
  type DocumentNode,
  type FieldNode,
  type FormattedExecutionResult,
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
  OperationTypeNode,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql';
import { systemTime } from '../base/clock.js';
import type { GraphqlLimits } from '../base/config.js';
import { limits as inputLimits, written } from '../base/validation.js';

/** Error messages repeat names, and some repeat every name of the document. */
export const MAX_NAME_CHARACTERS = 255;

export interface OperationCost {
  requested: number;
  maximum: number;
}

interface Size {
  depth: number;
  aliases: number;
  cost: number;
  /** The cost with all rows of the lists without pages. */
  full: number;
}

export const tooComplex = (limit: string, maximum: number, actual: number) =>
  new GraphQLError(`The query is too complex: ${excess(limit, written(maximum), written(actual))}`, {
    extensions: {
      code: 'QUERY_TOO_COMPLEX',
      reason: 'TOO_COMPLEX',
      limit,
      maximum,
      actual,
      http: { status: 400 },
    },
  });

const excess = (limit: string, maximum: string, actual: string) =>
  limit.endsWith('s')
    ? `it has ${actual} ${limit}, of which there may be ${maximum}`
    : `its ${limit} of ${actual} is over the limit of ${maximum}`;

type Field = GraphQLField<unknown, unknown>;

type Counted = 'depth' | 'aliases' | 'root fields' | 'cost';

/** How large an operation is. */
export interface Measured {
  actual: Record<Counted, number>;
  /** Whether other variables may change it, or another day. */
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

const takesMany = ({ args }: Field) =>
  args.some(({ name, type }) => name === 'input' && isListType(getNullableType(type)));

const isConnection = ({ args }: Field) => args.some(({ name }) => name === 'first');

/**
 * The most rows of a list without pages that lead on, which its resolver declares. They count only where a field of them
 * has fields itself.
 */
const rowsLeadingOn = ({ extensions }: Field) => (extensions as { rowsLeadingOn?: number }).rowsLeadingOn;

/** What a field costs that is dearer than others, and is answered once for all rows. */
const costsOf = ({ extensions }: Field) => (extensions as { costs?: number }).costs ?? 1;

/** What a field looks through for its answer where one of these arguments is given, whatever it answers. */
export interface LookedThrough {
  rows: number;
  by: readonly string[];
}

const lookedThrough = ({ extensions }: Field) =>
  (extensions as { lookedThrough?: LookedThrough }).lookedThrough;

const NOTHING: Size = { depth: 0, aliases: 0, cost: 0, full: 0 };

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

export const fragmentsOf = ({ definitions }: DocumentNode): Fragments =>
  new Map(
    definitions.flatMap((each) => (each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each]] : [])),
  );

/** What is selected at the root of an operation: also by fragments, each of which counts once. */
export function* rootSelections(
  { selectionSet }: { selectionSet: SelectionSetNode },
  fragments: Fragments,
  seen = new Set<unknown>(),
): Generator<SelectionNode> {
  for (const selection of selectionSet.selections) {
    yield selection;
    if (selection.kind === Kind.FIELD) continue;
    const below = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
    if (!below || seen.has(below)) continue;
    yield* rootSelections(below, fragments, seen.add(below));
  }
}

export const fieldsAtRoot = (operation: OperationDefinitionNode, fragments: Fragments): FieldNode[] =>
  [...rootSelections(operation, fragments)].filter((each) => each.kind === Kind.FIELD);

class Measure {
  private readonly fragments: Fragments;
  /**
   * Each fragment is measured once, however often it is spread: otherwise a few lines would take exponential time.
   */
  private readonly measured = new Map<string, Size>();
  private dependsOnVariables = false;

  constructor(
    private readonly schema: GraphQLSchema,
    document: DocumentNode,
    private readonly variables: Record<string, unknown>,
  ) {
    this.fragments = fragmentsOf(document);
  }

  of(operation: OperationDefinitionNode): Measured {
    const root = this.schema.getRootType(operation.operation);
    const { depth, aliases, cost } = root ? this.sizeOf(operation.selectionSet, root) : NOTHING;
    const actual = { depth, aliases, 'root fields': fieldsAtRoot(operation, this.fragments).length, cost };
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
      size.full += part.full;
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
    if (!field) return { depth: 1, aliases, cost: 1, full: 1 };
    const type = getNamedType(field.type);
    const below = node.selectionSet && isObjectType(type) ? this.sizeOf(node.selectionSet, type) : NOTHING;
    if (isIntrospectionType(type)) {
      // Not counted in depth: a type can be wrapped many times, and honest tools ask for all the wrappers.
      const rows = INTROSPECTED[field.name] ?? 1;
      const cost = Math.ceil(1 + rows * below.cost);
      return { depth: 1, aliases: aliases + below.aliases, cost, full: cost };
    }
    const rows = rowsLeadingOn(field);
    const full = this.costOf(node, field, below.full * (rows ?? 1));
    const isFlat = below.depth <= 1 || rows === undefined;
    const cost = isFlat ? this.costOf(node, field, below.cost) : full;
    return { depth: 1 + below.depth, aliases: aliases + below.aliases, cost, full };
  }

  private costOf(node: FieldNode, field: Field, below: number): number {
    const rows = this.rowsOf(node, field);
    const isOfDays = field.args.some(({ name }) => name === 'from');
    // Days that are read for one answer cost as much as days that are answered one by one.
    if (isOfDays && !isListType(getNullableType(field.type)) && !isConnection(field)) return 1 + rows + below;
    return (
      costsOf(field) +
      this.rowsLookedThrough(node, field) +
      rows * (below + (takesMany(field) ? COST_OF_WRITING : 0))
    );
  }

  private rowsLookedThrough(node: FieldNode, field: Field): number {
    const looked = lookedThrough(field);
    if (!looked) return 0;
    const given = this.argumentsOf(node, field);
    return looked.by.some((name) => given[name] != null) ? looked.rows : 0;
  }

  /**
   * The maximum number of rows of a field: `first`, the length of a list `input`, `last` days, or the days from `from`
   * to `to`, given as literal, variable or default. Without `to` they end today, which is another day tomorrow.
   */
  private rowsOf(node: FieldNode, field: Field): number {
    const names = field.args.map(({ name }) => name);
    const isOfMany = takesMany(field);
    if (!isOfMany && !names.includes('first') && !names.includes('from')) return 1;
    const { first, from, to = null, last, input } = this.argumentsOf(node, field);
    if (isOfMany) return Array.isArray(input) ? Math.max(input.length, 1) : 1;
    if (names.includes('first')) {
      const size = typeof first === 'number' ? first : inputLimits.pageSizeDefault;
      return Math.min(Math.max(size, 1), inputLimits.pageSize);
    }
    if (typeof last === 'number') return Math.min(Math.max(last, 1), inputLimits.rangeDays);
    this.dependsOnVariables ||= to === null;
    const end = to === null ? systemTime() : instantOf(to);
    const days = Math.ceil((end - instantOf(from)) / 86_400_000) + 1;
    return Math.min(Math.max(days || 1, 1), inputLimits.rangeDays);
  }

  private argumentsOf(node: FieldNode, field: Field): Record<string, unknown> {
    this.dependsOnVariables ||= node.arguments?.some(({ value }) => value.kind === Kind.VARIABLE) ?? false;
    try {
      return getArgumentValues(field, node, this.variables);
    } catch {
      return {}; // execution will report the error
    }
  }
}

/** `__schema` and `__type`, which no type declares. */
const introspectionField = (name: string): Field | undefined =>
  [SchemaMetaFieldDef, TypeMetaFieldDef].find((field) => field.name === name);

/** How many rows the lists of introspection have on average, in a schema of the size of ours. */
const INTROSPECTED: Readonly<Record<string, number>> = {
  __type: 15, // whoever asks for one type may ask for the largest
  types: 150,
  directives: 5,
  fields: 3,
  args: 0.25,
  inputFields: 0.5,
  enumValues: 1,
  ofType: 0.5, // most types are wrapped once or not at all, however deeply tools ask
};

type Operation = `${OperationTypeNode}`;

/**
 * Replaces an answer larger than `limit` bytes by a refusal. It measures the values, before they are serialised: a
 * text that occurs a thousand times is in memory once until then.
 */
export function withinAnswerLimit(
  result: FormattedExecutionResult,
  limit: number,
  operation?: Operation,
  atMostBytes = Number.POSITIVE_INFINITY,
): FormattedExecutionResult {
  if (atMostBytes <= limit) return result;
  const size = bytesAsJson(result, limit);
  if (size <= limit) return result;
  const { message, extensions } = tooComplex('answer size', limit, size);
  const { http: _, ...rest } = extensions;
  const hasBegun = operation === OperationTypeNode.MUTATION && result.data !== undefined;
  return { errors: [{ message: hasBegun ? mutationApplied(result, limit) : message, extensions: rest }] };
}

/**
 * Says so, lest the client take the mutation for undone and repeat it. If one part failed, the state of the others is
 * unknown.
 */
const mutationApplied = ({ data, errors }: FormattedExecutionResult, limit: number) =>
  `The mutation ${data && !errors ? 'was' : 'may have been'} carried out, but its answer is over the limit of ${written(limit)} bytes`;

/** No number is longer as JSON. */
const LONGEST_NUMBER = '-2.2250738585072014e-308'.length;

/** Of a scalar as JSON, without looking into texts, whose characters take at most six bytes each. */
export function atMostBytesOf(scalar: unknown): number {
  if (typeof scalar === 'string') return 2 + 6 * scalar.length;
  return typeof scalar === 'object' ? Number.POSITIVE_INFINITY : LONGEST_NUMBER;
}

/** The size of a value as JSON in UTF-8. Stops counting once it is over the limit. */
export function bytesAsJson(value: unknown, limit: number): number {
  let bytes = 0;
  const bytesOfText = (text: string) => Buffer.byteLength(JSON.stringify(text));
  const count = (value: unknown): void => {
    if (bytes > limit) return;
    if (typeof value === 'string') bytes += bytesOfText(value);
    else if (typeof value === 'number') bytes += JSON.stringify(value).length;
    else if (Array.isArray(value)) {
      bytes += 2 + Math.max(0, value.length - 1);
      for (const item of value) count(item ?? null);
    } else if (typeof value === 'object' && value !== null) countObject(value);
    else bytes += value === false ? 5 : 4; // `true` or `null`
  };
  const countObject = (object: object): void => {
    let separator = 0;
    bytes += 2;
    for (const [key, value] of Object.entries(object)) {
      if (value === undefined) continue;
      bytes += separator + bytesOfText(key) + 1;
      separator = 1;
      count(value);
    }
  };
  count(value);
  return bytes;
}
