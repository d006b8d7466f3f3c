import { type FieldNode, GraphQLError, type GraphQLLeafType, locatedError } from 'graphql';

/** Where a value lies in the answer. The same objects as those of graphql-js: they are compared by identity. */
export interface Path {
  prev: Path | undefined;
  key: string | number;
  typename: string | undefined;
}

/** One execution of a plan. */
export interface Execution {
  context: unknown;
  variables: Record<string, unknown>;
  rootValue: unknown;
  errors: Failures;
}

/** Completes a value: checks and serialises it, and resolves the fields below it. */
export type Complete = (execution: Execution, value: unknown, path: Path) => unknown;

/** The errors of an execution. After null has replaced a value, errors from below it no longer count. */
export class Failures {
  readonly all: GraphQLError[] = [];
  private readonly replaced = new Set<Path | undefined>();

  add(error: GraphQLError, path: Path | undefined): void {
    for (let above = path; above; above = above.prev) if (this.replaced.has(above)) return;
    if (this.replaced.has(undefined)) return;
    this.replaced.add(path);
    this.all.push(error);
  }
}

export const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof (value as Promise<unknown> | null | undefined)?.then === 'function';

function keysOf(path: Path): (string | number)[] {
  const keys: (string | number)[] = [];
  for (let at: Path | undefined = path; at; at = at.prev) keys.push(at.key);
  return keys.reverse();
}

/** An error where null is allowed is noted, and null takes the place of the value. Elsewhere it goes on upwards. */
export function fail(
  { errors }: Execution,
  cause: unknown,
  { nodes, path, isNullable }: { nodes: FieldNode[]; path: Path; isNullable: boolean },
): null {
  const error = locatedError(cause, nodes, keysOf(path));
  if (!isNullable) throw error;
  errors.add(error, path);
  return null;
}

export const nullable =
  (complete: Complete): Complete =>
  (execution, value, path) => {
    if (value instanceof Error) throw value;
    return value === null || value === undefined ? null : complete(execution, value, path);
  };

/** `place` is the type and the field, for the message. */
export const required =
  (complete: Complete, place: string): Complete =>
  (execution, value, path) => {
    const completed = complete(execution, value, path);
    if (completed === null) throw new Error(`Cannot return null for non-nullable field ${place}.`);
    return completed;
  };

export const completeLeaf =
  (type: GraphQLLeafType): Complete =>
  (_execution, value) => {
    const serialized: unknown = type.serialize(value);
    if (serialized === null || serialized === undefined)
      throw new Error(`${type.name} cannot be serialized as ${serialized}`);
    return serialized;
  };

export function completeList(
  completeItem: Complete,
  { nodes, isNullable, name }: { nodes: FieldNode[]; isNullable: boolean; name: string },
): Complete {
  return (execution, value, path) => {
    if (!isIterable(value))
      throw new GraphQLError(`Expected Iterable, but did not find one for field "${name}".`);
    let isPending = false;
    const items = Array.from(value, (item, index) => {
      const place = { nodes, isNullable, path: { prev: path, key: index, typename: undefined } };
      try {
        const completed = isPromise(item)
          ? item.then((found) => completeItem(execution, found, place.path))
          : completeItem(execution, item, place.path);
        if (!isPromise(completed)) return completed;
        isPending = true;
        return completed.then(undefined, (error) => fail(execution, error, place));
      } catch (error) {
        return fail(execution, error, place);
      }
    });
    return isPending ? Promise.all(items) : items;
  };
}

const isIterable = (value: unknown): value is Iterable<unknown> =>
  typeof value === 'object' && typeof (value as Iterable<unknown> | null)?.[Symbol.iterator] === 'function';
