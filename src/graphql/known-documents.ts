import {
  type DocumentNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import { ownText } from '../own-text.js';
import { BoundedCache } from './bounded-cache.js';
import { bytesOfDocument, nodesIn } from './documents.js';
import { type Plan, planOf } from './execution.js';
import { type Measured, measure } from './limits.js';
import { rootFieldsOf } from './root-fields.js';

/** In bytes: the size of the cache. */
const CACHE_LIMIT = 16 * 1_024 * 1_024;

/** How much memory a planned field takes, in nodes of a document. */
const FIELD = 3;

/** In characters: longer documents are read anew each time. */
const LONGEST = 16_384;

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
    CACHE_LIMIT,
    // The plans of a document have no more fields than it has nodes, and a field takes three times as much.
    ({ document }) => (1 + FIELD) * bytesOfDocument(document),
  );

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly isPlanning: boolean,
  ) {}

  get(text: string): KnownDocument | undefined {
    return text.length > LONGEST ? undefined : this.cache.get(text);
  }

  /** The document must be valid and detached from its text. */
  add(text: string, document: DocumentNode): KnownDocument {
    const known = new KnownDocument(this.schema, document, this.isPlanning ? nodesIn(document) : 0);
    if (text.length <= LONGEST) this.cache.set(ownText(text), known);
    return known;
  }
}
