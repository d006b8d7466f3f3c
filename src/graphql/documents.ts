import {
  type ASTNode,
  type DefinitionNode,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type Location,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionNode,
  type SourceLocation,
  type ValueNode,
  visit,
} from 'graphql';
import { type Plan, planOf } from './execution.js';
import {
  fieldsAtRoot,
  fragmentsOf,
  MAX_NAME_CHARACTERS,
  type Measured,
  measure,
  rootSelections,
  tooComplex,
} from './limits.js';

/** V8 keeps a whole long text in memory for the sake of a short part of it. A copy does not. */
const ownText = (text: string): string => JSON.parse(JSON.stringify(text));

/** The overhead of an entry. */
const ENTRY_BYTES = 512;

/**
 * An LRU cache bounded by bytes. `own` detaches a value from anything else that it would keep in memory, such as the
 * request that it came with.
 */
export class BoundedCache<Value> {
  /** The least recently used entry comes first. */
  private readonly entries = new Map<string, { value: Value; bytes: number }>();
  private bytes = 0;

  constructor(
    private readonly limit: number,
    private readonly bytesOf: (value: Value) => number,
    private readonly own: (value: Value) => Value = (value) => value,
  ) {}

  get(key: string): Value | undefined {
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    this.entries.delete(key);
    this.entries.set(key, entry);
    return entry.value;
  }

  set(key: string, value: Value): void {
    this.delete(key);
    const bytes = ENTRY_BYTES + bytesOfText(key) + this.bytesOf(value);
    this.entries.set(key, { value: this.own(value), bytes });
    this.bytes += bytes;
    for (const oldest of this.entries.keys()) {
      if (this.bytes <= this.limit) return;
      this.delete(oldest);
    }
  }

  delete(key: string): boolean {
    this.bytes -= this.entries.get(key)?.bytes ?? 0;
    return this.entries.delete(key);
  }
}

/** The interface that Apollo asks its caches through. */
export const forApollo = <Value>(cache: BoundedCache<Value>) => ({
  get: async (key: string) => cache.get(key),
  set: async (key: string, value: Value) => cache.set(key, value),
  delete: async (key: string) => cache.delete(key),
});

/** V8 needs up to two per character. */
const bytesOfText = (text: string): number => 2 * text.length;

/** The size of the cache of valid documents, and of the cache of persisted texts. */
const CACHE_BYTES = 30 * 1_024 * 1_024;

/** The overhead of a node. */
const NODE_BYTES = 256;

/** graphql-js would report every error in the variables, and each report repeats them all. */
export const execution = { maxCoercionErrors: 10 };

/** Holds the line and column of a node, which replace `loc`. */
const LOCATION = Symbol('location');

/** Where a value stands among the arguments of its field: `input`, `reminders`, 0, `at`. */
export type ValuePlace = readonly (string | number)[];

/** As a chain, since values may nest deeply. */
interface Step {
  key: string | number;
  from: Step | undefined;
}

/** Holds the place of a value; of a definition of a variable, that at which the variable is used first. */
const PLACE = Symbol('place');

type Detached = { -readonly [Key in 'loc']?: Location | undefined } & {
  value?: unknown;
  [LOCATION]?: SourceLocation;
  [PLACE]?: Step;
};

/**
 * Detaches a document from its source text, and refuses names of extreme length. graphql-js links every node to the
 * text: a cached document would keep a text of any size in memory, and each error would search all lines of the text
 * for its location.
 */
export function detach(document: DocumentNode): void {
  let place: Step | undefined;
  let uses = new Map<string, Step>();
  const usesOf = new Map<DefinitionNode, Map<string, Step>>();
  visit(document, {
    leave: (node, key, parent) => {
      if (isNamedValue(node) || isEntry(key, parent, node)) place = place?.from;
    },
    enter: (node, key, parent) => {
      if (isDefinition(node)) {
        uses = new Map();
        usesOf.set(node, uses);
      }
      if (node.kind === Kind.NAME && node.value.length > MAX_NAME_CHARACTERS)
        throw tooComplex('name length', MAX_NAME_CHARACTERS, node.value.length);
      const part: Detached = node;
      const entry = isNamedValue(node) ? node.value : isEntry(key, parent, node) ? node : undefined;
      if (entry) {
        place = { key: isNamedValue(node) ? node.name.value : Number(key), from: place };
        (entry as Detached)[PLACE] = place;
        if (entry.kind === Kind.VARIABLE && !uses.has(entry.name.value)) uses.set(entry.name.value, place);
      }
      if (part.loc) {
        const { line, column } = part.loc.startToken;
        part[LOCATION] = { line: Math.max(line, 1), column: Math.max(column, 1) }; // the document node has line 0
        delete part.loc;
      }
      if (typeof part.value === 'string') part.value = ownText(part.value);
    },
  });
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const all = [usesOf.get(definition), ...usesOf.values()];
    for (const variable of definition.variableDefinitions ?? []) {
      const { value } = variable.variable.name;
      const used = all.find((each) => each?.has(value))?.get(value);
      if (used) (variable as Detached)[PLACE] = used;
    }
  }
}

const isDefinition = (node: ASTNode): node is DefinitionNode =>
  node.kind === Kind.OPERATION_DEFINITION || node.kind === Kind.FRAGMENT_DEFINITION;

const isNamedValue = (node: ASTNode) => node.kind === Kind.ARGUMENT || node.kind === Kind.OBJECT_FIELD;

/** Whether a node is a value in a list: nothing else that lies in an array is a value. */
const isEntry = (key: unknown, parent: unknown, node: ASTNode): node is ValueNode =>
  typeof key === 'number' && Array.isArray(parent) && VALUES.has(node.kind);

const VALUES: ReadonlySet<Kind> = new Set([
  Kind.VARIABLE,
  Kind.INT,
  Kind.FLOAT,
  Kind.STRING,
  Kind.BOOLEAN,
  Kind.NULL,
  Kind.ENUM,
  Kind.LIST,
  Kind.OBJECT,
]);

/** Where the value at fault stands among the arguments of its field. */
export const placeOf = ({ nodes: [node] = [] }: GraphQLError): ValuePlace | undefined =>
  node && node.kind !== Kind.VARIABLE_DEFINITION ? keysTo((node as Detached)[PLACE]) : undefined;

/** Where the variable is used whose value is at fault. */
export const placeOfVariable = ({ nodes: [node] = [] }: GraphQLError): ValuePlace | undefined =>
  node?.kind === Kind.VARIABLE_DEFINITION ? keysTo((node as Detached)[PLACE]) : undefined;

function keysTo(last: Step | undefined): ValuePlace | undefined {
  const keys: (string | number)[] = [];
  for (let step = last; step; step = step.from) keys.unshift(step.key);
  return last && keys;
}

/** The locations of an error, from its nodes if they have any. */
export function locationsOf({ locations, nodes = [] }: GraphQLError): readonly SourceLocation[] | undefined {
  const found = nodes.flatMap((node) => (node as Detached)[LOCATION] ?? []);
  return found.length > 0 ? found : locations;
}

const bytesOfDocument = (document: DocumentNode): number => {
  let bytes = 0;
  visit(document, {
    enter: (node: ASTNode) => {
      bytes += NODE_BYTES + ('value' in node && typeof node.value === 'string' ? bytesOfText(node.value) : 0);
    },
  });
  return bytes;
};

export function nodesIn(document: DocumentNode): number {
  let nodes = 0;
  visit(document, {
    enter: () => {
      nodes += 1;
    },
  });
  return nodes;
}

/** A cache of valid documents, by the hash of their text. */
export const validDocuments = (): BoundedCache<DocumentNode> =>
  new BoundedCache(CACHE_BYTES, bytesOfDocument);

/** A cache of persisted queries, by the hash of their text. */
export const persistedTexts = (): BoundedCache<string> => new BoundedCache(CACHE_BYTES, bytesOfText, ownText);

/** The names of the fields at the root of an operation, without their aliases. */
export const rootFieldsOf = (document: DocumentNode, operation: OperationDefinitionNode): string[] => [
  ...new Set(fieldsAtRoot(operation, fragmentsOf(document)).map(({ name }) => name.value)),
];

/**
 * The spec allows one root field in a subscription, whatever the variables (5.2.4.1). graphql-js 16 does not refuse
 * conditions there; instead it throws, either during validation or because no field is left to subscribe to.
 */
export function conditionAtRoot(document: DocumentNode): GraphQLError | undefined {
  const fragments = fragmentsOf(document);
  const isConditional = ({ directives = [] }: SelectionNode) =>
    directives.some(({ name }) => /^(skip|include)$/.test(name.value));
  const subscription = document.definitions.find(
    (each) =>
      each.kind === Kind.OPERATION_DEFINITION &&
      each.operation === OperationTypeNode.SUBSCRIPTION &&
      [...rootSelections(each, fragments)].some(isConditional),
  );
  if (!subscription) return undefined;
  return new GraphQLError('A subscription must not use @skip or @include at its root.', {
    nodes: subscription,
    extensions: { code: 'GRAPHQL_VALIDATION_FAILED', http: { status: 400 } },
  });
}

/** The size of the cache of known documents. */
const KNOWN_BYTES = 16 * 1_024 * 1_024;

/** How much memory a planned field takes, in nodes of a document. */
const FIELD = 3;

/** Longer documents are read anew each time. */
const LONGEST_CHARACTERS = 16_384;

/** An operation of a valid document. */
export interface KnownOperation {
  definition: OperationDefinitionNode;
  /** Undefined if only graphql-js can carry it out. */
  plan: Plan | undefined;
  rootFields: readonly string[];
  /** Its size, unless that depends on variables. */
  size?: Measured;
}

/** A valid document. What follows from it alone is found out once, when it is asked for the second time. */
export class KnownDocument {
  private readonly operations = new Map<string | null, KnownOperation>();
  /** How many fields may still be planned: fragments may be spread by each of hundreds of operations. */
  private fieldsLeft: number;

  constructor(
    private readonly schema: GraphQLSchema,
    readonly document: DocumentNode,
    maxFields: number,
  ) {
    this.fieldsLeft = maxFields;
  }

  /** Undefined if there is no such operation, or no telling which one is meant. */
  operationFor(name: string | null = null): KnownOperation | undefined {
    const known = this.operations.get(name);
    if (known) return known;
    const definitions = this.document.definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION);
    const named = definitions.filter((each) => each.name?.value === name);
    const [definition, ...others] = typeof name === 'string' ? named : definitions;
    if (!definition || others.length > 0) return undefined;
    const rootFields = rootFieldsOf(this.document, definition);
    const operation = { definition, plan: this.planOf(definition), rootFields };
    this.operations.set(name, operation);
    return operation;
  }

  /** None for a subscription, which would keep it in memory as long as it lasts. */
  private planOf(definition: OperationDefinitionNode): Plan | undefined {
    if (definition.operation === OperationTypeNode.SUBSCRIPTION) return undefined;
    const plan = planOf(this.schema, this.document, definition, this.fieldsLeft);
    if (plan) this.fieldsLeft -= plan.size;
    return plan;
  }

  /** Its size with these variables. */
  sizeOf(operation: KnownOperation, variables: Record<string, unknown>): Measured {
    if (operation.size) return operation.size;
    const size = measure(this.schema, this.document, operation.definition, variables);
    if (!size.dependsOnVariables) operation.size = size;
    return size;
  }
}

/** Documents that have passed every check that does not depend on variables, by their text. */
export class KnownDocuments {
  private readonly cache = new BoundedCache<KnownDocument>(
    KNOWN_BYTES,
    // The plans of a document have no more fields than it has nodes, and a field takes three times as much.
    ({ document }) => (1 + FIELD) * bytesOfDocument(document),
  );

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly isPlanning: boolean,
  ) {}

  get(text: string): KnownDocument | undefined {
    return text.length > LONGEST_CHARACTERS ? undefined : this.cache.get(text);
  }

  /** The document must be valid and detached from its text. */
  add(text: string, document: DocumentNode): KnownDocument {
    const known = new KnownDocument(this.schema, document, this.isPlanning ? nodesIn(document) : 0);
    if (text.length <= LONGEST_CHARACTERS) this.cache.set(ownText(text), known);
    return known;
  }
}
