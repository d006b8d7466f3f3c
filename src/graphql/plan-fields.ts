import {
  defaultFieldResolver,
  type ExecutionResult,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getArgumentValues,
  isNonNullType,
  type OperationDefinitionNode,
} from 'graphql';
import { type Complete, type Execution, Failures, fail, isPromise, type Path } from './plan-values.js';

/** What all fields of a plan share. */
export interface Operation {
  schema: GraphQLSchema;
  fragments: Record<string, FragmentDefinitionNode>;
  definition: OperationDefinitionNode;
}

interface FieldPlan {
  /** Its name in the answer. */
  key: string;
  parent: GraphQLObjectType;
  field: GraphQLField<unknown, unknown>;
  nodes: FieldNode[];
  complete: Complete;
  /** Nothing is selected below it. */
  isLeaf: boolean;
}

/** A field of an object in the answer. */
export class PlannedField {
  readonly key: string;
  private readonly isNullable: boolean;
  private readonly isProperty: boolean;

  constructor(
    private readonly operation: Operation,
    private readonly plan: FieldPlan,
  ) {
    this.key = plan.key;
    this.isNullable = !isNonNullType(plan.field.type);
    this.isProperty = plan.isLeaf && !plan.field.resolve;
  }

  resolve(execution: Execution, source: unknown, parentPath: Path | undefined): unknown {
    if (this.isProperty) return this.readProperty(execution, source, parentPath);
    const path = this.pathBelow(parentPath);
    return this.completeWith(execution, () => this.callResolver(execution, source, path), path);
  }

  private completeWith(execution: Execution, read: () => unknown, path: Path): unknown {
    try {
      const value = read();
      const completed = isPromise(value)
        ? value.then((found) => this.plan.complete(execution, found, path))
        : this.plan.complete(execution, value, path);
      if (!isPromise(completed)) return completed;
      return completed.then(undefined, (error) => this.fail(execution, error, path));
    } catch (error) {
      return this.fail(execution, error, path);
    }
  }

  /** Most values of a list are properties of rows. Their path is needed only for an error. */
  private readProperty(execution: Execution, source: unknown, parentPath: Path | undefined): unknown {
    const value = (source as Record<string, unknown>)[this.plan.field.name];
    if (typeof value === 'function' || isPromise(value)) {
      const path = this.pathBelow(parentPath);
      // A promise is not asked for again: if it failed, nobody would hear of the first, which ends the process.
      const read = () => (isPromise(value) ? value : this.callResolver(execution, source, path));
      return this.completeWith(execution, read, path);
    }
    try {
      return this.plan.complete(execution, value, parentPath as Path);
    } catch (error) {
      return this.fail(execution, error, this.pathBelow(parentPath));
    }
  }

  private callResolver(execution: Execution, source: unknown, path: Path): unknown {
    const { field, nodes, parent } = this.plan;
    const { schema, fragments, definition } = this.operation;
    const { context, variables, rootValue } = execution;
    const resolve = field.resolve ?? defaultFieldResolver;
    const given = field.args.length === 0 ? {} : getArgumentValues(field, nodes[0] as FieldNode, variables);
    const info: GraphQLResolveInfo = {
      fieldName: field.name,
      fieldNodes: nodes,
      returnType: field.type,
      parentType: parent,
      path: path as GraphQLResolveInfo['path'],
      schema,
      fragments,
      rootValue,
      operation: definition,
      variableValues: variables,
    };
    return resolve(source, given, context, info);
  }

  private pathBelow(prev: Path | undefined): Path {
    return { prev, key: this.key, typename: this.plan.parent.name };
  }

  private fail(execution: Execution, error: unknown, path: Path): null {
    return fail(execution, error, { nodes: this.plan.nodes, path, isNullable: this.isNullable });
  }
}

type Values = Record<string, unknown>;

/**
 * The fields of an object in the answer. Promises are chained as graphql-js chains them: on the order in which they
 * settle depends which errors are reported.
 */
export class Selection {
  constructor(
    private readonly fields: readonly PlannedField[],
    /** The number of fields, with those below them. */
    readonly size: number,
    /** Fields of a mutation are resolved one after the other. */
    private readonly isSerial: boolean,
  ) {}

  /** Carries out the operation whose plan this is. */
  async carryOut(given: Omit<Execution, 'errors'>): Promise<ExecutionResult> {
    const execution = { ...given, errors: new Failures() };
    const { all: errors } = execution.errors;
    const resolve = this.isSerial ? this.resolveSerially : this.resolve;
    let data: Values | null = null;
    try {
      data = await resolve.call(this, execution, given.rootValue, undefined);
    } catch (error) {
      execution.errors.add(error as GraphQLError, undefined);
    }
    return errors.length > 0 ? { errors, data } : { data };
  }

  resolve(execution: Execution, source: unknown, path: Path | undefined): Values | Promise<Values> {
    const values: Values = {};
    const keys: string[] = [];
    const pending: Promise<unknown>[] = [];
    const settled = () =>
      Promise.all(pending).then((found) => {
        for (const [at, key] of keys.entries()) values[key] = found[at];
        return values;
      });
    try {
      for (const field of this.fields) {
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

  private resolveSerially(execution: Execution, source: unknown): Values | Promise<Values> {
    const add = (values: Values, field: PlannedField): Values | Promise<Values> => {
      const store = (value: unknown) => Object.assign(values, { [field.key]: value });
      const value = field.resolve(execution, source, undefined);
      return isPromise(value) ? value.then(store) : store(value);
    };
    let values: Values | Promise<Values> = {};
    for (const field of this.fields) {
      const before: Values | Promise<Values> = values;
      values = before instanceof Promise ? before.then((found) => add(found, field)) : add(before, field);
    }
    return values;
  }
}
