import {
  type DocumentNode,
  defaultFieldResolver,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type FieldNode,
  GraphQLError,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getArgumentValues,
  getDirectiveValues,
  getNullableType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  locatedError,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionNode,
  type SelectionSetNode,
  TypeNameMetaFieldDef,
} from 'graphql';
import type { Context } from './context.js';
import { atMostBytesOf, type OperationCost } from './limits.js';

/** An operation that passed all checks. */
export type Admitted = ExecutionArgs & {
  contextValue: Context;
  operation: OperationDefinitionNode;
  cost: OperationCost;
  /** The names of its root fields. */
  rootFields: readonly string[];
  /** Undefined if only graphql-js can carry the operation out. */
  plan: Plan | undefined;
  /** The values of the variables; undefined if they are not valid, which execution reports. */
  coerced: Record<string, unknown> | undefined;
};

/** How long it is as JSON at the most, where that was counted. */
export type Carried = ExecutionResult & { atMostBytes?: number };

/** The one executor behind all transports. */
export function carryOut(admitted: Admitted): Carried | Promise<Carried> {
  const { plan, coerced, contextValue: context, rootValue } = admitted;
  return plan && coerced
    ? plan.carryOut(context, coerced, rootValue)
    : (execute(admitted) as ExecutionResult | Promise<ExecutionResult>);
}

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
): Plan | undefined {
  const root = schema.getRootType(operation.operation);
  if (!root) return undefined;
  const fragments: Shared['fragments'] = Object.create(null);
  for (const each of document.definitions) {
    if (each.kind === Kind.FRAGMENT_DEFINITION) fragments[each.name.value] = each;
  }
  const planner = new Planner({ schema, fragments, operation }, maxFields);
  try {
    const fields = planner.fieldsOf(root, [operation]);
    return new Plan(fields, planner.size, operation.operation === OperationTypeNode.MUTATION);
  } catch (error) {
    if (error instanceof CannotBePlanned) return undefined;
    throw error;
  }
}

/** What all fields of a plan share. */
type Shared = Pick<GraphQLResolveInfo, 'schema' | 'fragments' | 'operation'>;

class Planner {
  /** The number of fields so far. */
  size = 0;

  constructor(
    private readonly shared: Shared,
    private readonly maxFields: number,
  ) {}

  fieldsOf(type: GraphQLObjectType, parents: Pick<FieldNode, 'selectionSet'>[]): PlannedField[] {
    if (type.isTypeOf) throw new CannotBePlanned();
    const grouped = new Map<string, FieldNode[]>();
    const visited = new Set();
    for (const { selectionSet } of parents)
      if (selectionSet) this.collect(type, selectionSet, grouped, visited);
    return [...grouped].map(([key, nodes]) => this.fieldOf(type, key, nodes));
  }

  private collect(
    type: GraphQLObjectType,
    { selections }: SelectionSetNode,
    grouped: Map<string, FieldNode[]>,
    visited: Set<unknown>,
  ): void {
    for (const selection of selections) {
      if (!isIncluded(selection)) continue;
      if (selection.kind === Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value;
        grouped.set(key, [...(grouped.get(key) ?? []), selection]);
        continue;
      }
      const isInline = selection.kind === Kind.INLINE_FRAGMENT;
      const fragment = isInline ? selection : this.shared.fragments[selection.name.value];
      if (!fragment || visited.has(fragment)) continue;
      visited.add(fragment);
      const condition = fragment.typeCondition?.name.value;
      if (condition && !isObjectType(this.shared.schema.getType(condition))) throw new CannotBePlanned();
      if (!condition || condition === type.name) this.collect(type, fragment.selectionSet, grouped, visited);
    }
  }

  private fieldOf(parent: GraphQLObjectType, key: string, nodes: FieldNode[]): PlannedField {
    this.size += 1;
    const name = nodes[0]?.name.value ?? '';
    const field = name === TypeNameMetaFieldDef.name ? TypeNameMetaFieldDef : parent.getFields()[name];
    if (!field || this.size > this.maxFields) throw new CannotBePlanned();
    if (key === '__proto__') throw new CannotBePlanned(); // it would be lost in an object
    const complete = this.completionOf(field.type, `${parent.name}.${field.name}`, nodes);
    return new PlannedField(this.shared, key, parent, field, nodes, complete);
  }

  /** `place` is the type and the field, for messages. */
  private completionOf(type: GraphQLOutputType, place: string, nodes: FieldNode[]): Complete {
    if (isNonNullType(type)) return required(this.completionOf(type.ofType, place, nodes), place);
    if (isListType(type)) {
      const isNullable = !isNonNullType(type.ofType);
      return nullable(completeList(this.completionOf(type.ofType, place, nodes), nodes, isNullable, place));
    }
    if (isLeafType(type)) return nullable(completeLeaf(type));
    if (!isObjectType(type)) throw new CannotBePlanned();
    const fields = this.fieldsOf(type, nodes);
    return nullable((execution, value, path) => resolveAll(fields, execution, value, path));
  }
}

function isIncluded(node: SelectionNode): boolean {
  if (!node.directives?.length) return true;
  try {
    const isSkipped = getDirectiveValues(GraphQLSkipDirective, node, {})?.if === true;
    return !isSkipped && getDirectiveValues(GraphQLIncludeDirective, node, {})?.if !== false;
  } catch {
    throw new CannotBePlanned(); // the variable has no value yet
  }
}

type Values = Record<string, unknown>;
type Answer = Values | Promise<Values>;

/** Where a value lies in the answer. The same objects as those of graphql-js: they are compared by identity. */
type Path = GraphQLResolveInfo['path'];

/** One execution of a plan. */
class Execution {
  readonly errors: GraphQLError[] = [];
  atMostBytes = 256; // with the frame of the answer
  private readonly replaced = new Set<Path | undefined>();

  constructor(
    readonly context: unknown,
    readonly variables: Values,
    readonly rootValue: unknown,
  ) {}

  /** An error where null is allowed is noted, and null takes the place of the value. Elsewhere it goes on upwards. */
  fail(cause: unknown, nodes: FieldNode[], path: Path, isNullable: boolean): null {
    const keys: (string | number)[] = [];
    for (let at: Path | undefined = path; at; at = at.prev) keys.push(at.key);
    const error = locatedError(cause, nodes, keys.reverse());
    if (!isNullable) throw error;
    this.note(error, path);
    return null;
  }

  /** After null has replaced a value, errors from below it no longer count. */
  note(error: GraphQLError, path: Path | undefined): void {
    for (let above = path; above; above = above.prev) if (this.replaced.has(above)) return;
    if (this.replaced.has(undefined)) return;
    this.replaced.add(path);
    this.errors.push(error);
  }
}

export class Plan {
  constructor(
    private readonly fields: PlannedField[],
    /** The number of fields, with those below them. */
    readonly size: number,
    /** Fields of a mutation are resolved one after the other. */
    private readonly isSerial: boolean,
  ) {}

  async carryOut(context: unknown, variables: Values, rootValue?: unknown): Promise<Carried> {
    const execution = new Execution(context, variables, rootValue);
    let data: Values | null = null;
    try {
      data = await (this.isSerial ? resolveInTurn : resolveAll)(this.fields, execution, rootValue);
    } catch (error) {
      execution.note(error as GraphQLError, undefined);
    }
    const { errors, atMostBytes } = execution;
    return errors.length > 0 ? { errors, data } : { data, atMostBytes };
  }
}

/** Chains promises as graphql-js does: on the order in which they settle depends which errors are reported. */
function resolveAll(fields: PlannedField[], execution: Execution, source: unknown, path?: Path): Answer {
  const values: Values = {};
  const keys: string[] = [];
  const pending: Promise<unknown>[] = [];
  const settled = () =>
    Promise.all(pending).then((found) => {
      for (const [at, key] of keys.entries()) values[key] = found[at];
      return values;
    });
  try {
    for (const field of fields) {
      const value = field.resolve(execution, source, path);
      values[field.key] = value; // a promise too, which keeps the place of its value
      if (!isPromise(value)) continue;
      keys.push(field.key);
      pending.push(value);
    }
  } catch (error) {
    if (pending.length === 0) throw error;
    return settled().finally(() => {
      throw error;
    });
  }
  return pending.length === 0 ? values : settled();
}

/** After a field that fails where null is not allowed, none of the others is resolved. */
function resolveInTurn(fields: PlannedField[], execution: Execution, source: unknown): Answer {
  const add = (values: Values, field: PlannedField): Answer => {
    const store = (value: unknown) => Object.assign(values, { [field.key]: value });
    const value = field.resolve(execution, source, undefined);
    return isPromise(value) ? value.then(store) : store(value);
  };
  return fields.reduce<Answer>(
    (before, field) => (isPromise(before) ? before.then((found) => add(found, field)) : add(before, field)),
    {},
  );
}

/** A field of an object in the answer. */
class PlannedField {
  /** Its name with what stands around it, and null in place of its value. */
  private readonly atMostBytes: number;
  private readonly isNullable: boolean;
  private readonly isProperty: boolean;

  constructor(
    private readonly shared: Shared,
    /** Its name in the answer. */
    readonly key: string,
    private readonly parent: GraphQLObjectType,
    private readonly field: GraphQLField<unknown, unknown>,
    private readonly nodes: FieldNode[],
    private readonly complete: Complete,
  ) {
    this.atMostBytes = atMostBytesOf(key) + ':null,{}'.length;
    this.isNullable = !isNonNullType(field.type);
    this.isProperty = !field.resolve && isLeafType(getNullableType(field.type));
  }

  resolve(execution: Execution, source: unknown, above: Path | undefined): unknown {
    execution.atMostBytes += this.atMostBytes;
    const property = this.isProperty ? (source as Values | undefined)?.[this.field.name] : undefined;
    if (this.isProperty && typeof property !== 'function' && !isPromise(property))
      return this.property(execution, property, above);
    const path = this.pathBelow(above);
    try {
      const value = isPromise(property) ? property : this.callResolver(execution, source, path);
      const completed = isPromise(value)
        ? value.then((found) => this.complete(execution, found, path))
        : this.complete(execution, value, path);
      if (!isPromise(completed)) return completed;
      return completed.then(undefined, (error) => this.fail(execution, error, path));
    } catch (error) {
      return this.fail(execution, error, path);
    }
  }

  /** Most values of a list are properties of rows. Their path is needed only for an error. */
  private property(execution: Execution, value: unknown, above: Path | undefined): unknown {
    try {
      return this.complete(execution, value, above as Path);
    } catch (error) {
      return this.fail(execution, error, this.pathBelow(above));
    }
  }

  private callResolver({ context, variables, rootValue }: Execution, source: unknown, path: Path): unknown {
    const { field, nodes } = this;
    const resolve = field.resolve ?? defaultFieldResolver;
    const given = field.args.length === 0 ? {} : getArgumentValues(field, nodes[0] as FieldNode, variables);
    const info: GraphQLResolveInfo = {
      fieldName: field.name,
      fieldNodes: nodes,
      returnType: field.type,
      parentType: this.parent,
      path,
      ...this.shared,
      rootValue,
      variableValues: variables,
    };
    return resolve(source, given, context, info);
  }

  private pathBelow(prev: Path | undefined): Path {
    return { prev, key: this.key, typename: this.parent.name };
  }

  private fail(execution: Execution, cause: unknown, path: Path): null {
    return execution.fail(cause, this.nodes, path, this.isNullable);
  }
}

/** Completes a value: checks and serialises it, and resolves the fields below it. */
type Complete = (execution: Execution, value: unknown, path: Path) => unknown;

const nullable =
  (complete: Complete): Complete =>
  (execution, value, path) => {
    if (value instanceof Error) throw value;
    return value === null || value === undefined ? null : complete(execution, value, path);
  };

const required =
  (complete: Complete, place: string): Complete =>
  (execution, value, path) => {
    const completed = complete(execution, value, path);
    if (completed === null) throw new Error(`Cannot return null for non-nullable field ${place}.`);
    return completed;
  };

const completeLeaf =
  (type: GraphQLLeafType): Complete =>
  (execution, value) => {
    const serialized: unknown = type.serialize(value);
    if (serialized === null || serialized === undefined)
      throw new Error(`${type.name} cannot be serialized as ${serialized}`);
    execution.atMostBytes += atMostBytesOf(serialized);
    return serialized;
  };

const completeList =
  (completeItem: Complete, nodes: FieldNode[], isNullable: boolean, place: string): Complete =>
  (execution, value, path) => {
    if (!isIterable(value))
      throw new GraphQLError(`Expected Iterable, but did not find one for field "${place}".`);
    const items = Array.from(value, (item, index) => {
      const here = { prev: path, key: index, typename: undefined };
      const fail = (error: unknown) => execution.fail(error, nodes, here, isNullable);
      try {
        const completed = isPromise(item)
          ? item.then((found) => completeItem(execution, found, here))
          : completeItem(execution, item, here);
        if (!isPromise(completed)) return completed;
        const kept = completed.then(undefined, fail);
        kept.catch(() => {}); // if a later item fails at once, nobody waits for this one
        return kept;
      } catch (error) {
        return fail(error);
      }
    });
    execution.atMostBytes += items.length * 'null,{}'.length;
    return items.some(isPromise) ? Promise.all(items) : items;
  };

const isPromise = <T>(value: T | Promise<T>): value is Promise<T> =>
  typeof (value as Promise<T> | null | undefined)?.then === 'function';

const isIterable = (value: unknown): value is Iterable<unknown> =>
  typeof value === 'object' && typeof (value as Iterable<unknown> | null)?.[Symbol.iterator] === 'function';
