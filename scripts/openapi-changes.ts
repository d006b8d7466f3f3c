import { isDeepStrictEqual } from 'node:util';
import { isRequired, type Json, nameOf, type Relation, relationsOf, resolved } from './json-schemas.ts';

/** Changes for clients of the last release, as sentences. */
export interface ApiChanges {
  /** Could make a request fail that succeeded before, or make an answer unreadable. */
  breaking: string[];
  /** Breaks no request but may surprise its sender: defaults, new values in answers, names of operations. */
  surprising: string[];
  added: string[];
}

type Direction = 'input' | 'answer';

/** Compares two OpenAPI documents that our route table generated. Prose and examples are ignored. */
export function apiChangesBetween(released: Json, next: Json): ApiChanges {
  const comparison = new Comparison(released, next);
  comparison.compareDocuments();
  const { breaking, surprising, added } = comparison;
  return { breaking: [...breaking], surprising: [...surprising], added: [...added] };
}

/** A client may still send all that it could send before, and receives nothing that it does not expect. */
const HARMLESS: Record<Direction, Relation> = { input: 'wider', answer: 'narrower' };

const PRESENCE = {
  input: { required: 'required', optional: 'optional' },
  answer: { required: 'always there', optional: 'not always there' },
};

class Comparison {
  readonly breaking = new Set<string>();
  readonly surprising = new Set<string>();
  readonly added = new Set<string>();
  readonly #released: Json;
  readonly #next: Json;
  /** Pairs of shared schemas already compared, so that each is compared once per direction. */
  readonly #seen = new Set<string>();

  constructor(released: Json, next: Json) {
    this.#released = released;
    this.#next = next;
  }

  compareDocuments(): void {
    const [before, after] = [operationsOf(this.#released), operationsOf(this.#next)];
    if (!isDeepStrictEqual(this.#released.servers, this.#next.servers)) {
      this.breaking.add('The address of the API was changed.');
    }
    for (const [key, operation] of before) {
      const other = after.get(key);
      if (other) this.#compareOperations(operation, other);
      else this.breaking.add(`${operation.at} was removed.`);
    }
    for (const [key, { at }] of after) if (!before.has(key)) this.added.add(`${at} was added.`);
  }

  #compareOperations({ at, operation: before }: Operation, { operation: after }: Operation): void {
    if (before.operationId !== after.operationId) {
      this.surprising.add(`${at}: the operation ${before.operationId} is called ${after.operationId} now.`);
    }
    const [lock, nextLock] = [lockOf(before, this.#released), lockOf(after, this.#next)];
    if (!isDeepStrictEqual(lock, nextLock)) {
      if (nextLock.length === 0) this.added.add(`${at} needs no token any more.`);
      else this.breaking.add(`${at} has changed the token it needs.`);
    }
    this.#compareParameters(at, parametersOf(before), parametersOf(after));
    this.#compareBodies(at, before.requestBody, after.requestBody);
    this.#compareAnswers(at, before.responses, after.responses);
  }

  #compareParameters(at: string, before: Map<string, Json>, after: Map<string, Json>): void {
    for (const [name, parameter] of before) {
      const next = after.get(name);
      if (next) {
        if (next.required && !parameter.required) this.breaking.add(`${at} ${name} is required now.`);
        if (!next.required && parameter.required) this.added.add(`${at} ${name} is optional now.`);
        this.#compareSchemas('input', `${at} ${name}`, parameter.schema, next.schema);
      } else this.breaking.add(`${at} ${name} was removed.`);
    }
    for (const [name, { required }] of after) {
      if (!before.has(name)) this.#add(`${at} ${name}`, required);
    }
  }

  #add(at: string, isRequired: boolean): void {
    if (isRequired) this.breaking.add(`${at} was added and is required.`);
    else this.added.add(`${at} was added.`);
  }

  #compareBodies(at: string, before: Json, after: Json): void {
    if (!before && after) this.#add(`${at} body`, after.required);
    if (before && !after) this.breaking.add(`${at} body was removed.`);
    if (!before || !after) return;
    if (after.required && !before.required) this.breaking.add(`${at} body is required now.`);
    this.#compareContents('input', `${at} body`, before.content, after.content);
  }

  #compareAnswers(at: string, before: Json, after: Json): void {
    for (const [status, answer] of Object.entries<Json>(before)) {
      const next = after[status];
      if (next) this.#compareContents('answer', `${at} ${status}`, answer.content, next.content);
      else this.breaking.add(`${at} ${status} was removed.`);
    }
    for (const status of Object.keys(after)) {
      if (!(status in before)) this.added.add(`${at} ${status} was added.`);
    }
  }

  #compareContents(direction: Direction, at: string, before: Json = {}, after: Json = {}): void {
    for (const [type, { schema }] of Object.entries<Json>(before)) {
      if (after[type]) this.#compareSchemas(direction, at, schema, after[type].schema);
      else this.breaking.add(`${at} as ${type} was removed.`);
    }
    for (const type of Object.keys(after)) {
      if (!(type in before)) this.added.add(`${at} as ${type} was added.`);
    }
  }

  #compareSchemas(direction: Direction, place: string, referring: Json, nextReferring: Json): void {
    const name = nameOf(referring);
    const key = `${direction} ${name} ${nameOf(nextReferring)}`;
    if (name !== undefined) {
      if (this.#seen.has(key)) return;
      this.#seen.add(key);
    }
    const at = name ?? place;
    const before = resolved(referring, this.#released);
    const after = resolved(nextReferring, this.#next);
    for (const [keyword, relation] of relationsOf(before, after)) {
      const sentence = changeOf(at, keyword, before, after);
      const isNewValue = direction === 'answer' && keyword === 'enum' && relation === 'wider' && after.enum;
      if (isNewValue) this.surprising.add(sentence);
      else (relation === HARMLESS[direction] ? this.added : this.breaking).add(sentence);
    }
    const [absent, nextAbsent] = [defaultOf(before), defaultOf(after)];
    if (!isDeepStrictEqual(absent, nextAbsent)) {
      this.surprising.add(changeOf(at, 'default', { default: absent }, { default: nextAbsent }));
    }
    if (before.items && after.items) {
      this.#compareSchemas(direction, `${at}[]`, before.items, after.items);
    }
    this.#compareProperties(direction, at, before, after);
  }

  #compareProperties(direction: Direction, at: string, before: Json, after: Json): void {
    const [properties, next] = [before.properties ?? {}, after.properties ?? {}];
    for (const [name, schema] of Object.entries<Json>(properties)) {
      const property = `${at}.${name}`;
      if (!(name in next)) {
        this.breaking.add(`${property} was removed.`);
        continue;
      }
      const [was, is] = [isRequired(before, name), isRequired(after, name)];
      if (was !== is) {
        const isBroken = direction === 'input' ? is : was;
        const now = PRESENCE[direction][is ? 'required' : 'optional'];
        (isBroken ? this.breaking : this.added).add(`${property} is ${now} now.`);
      }
      this.#compareSchemas(direction, property, schema, next[name]);
    }
    for (const name of Object.keys(next)) {
      if (name in properties) continue;
      this.#add(`${at}.${name}`, direction === 'input' && isRequired(after, name));
    }
  }
}

interface Operation {
  at: string;
  operation: Json;
}

/** Keyed by method and path. Names of path parameters are dropped, since they are never sent. */
const operationsOf = ({ paths }: Json): Map<string, Operation> =>
  new Map(
    Object.entries<Json>(paths).flatMap(([path, methods]) =>
      Object.entries<Json>(methods).map(([method, operation]) => [
        `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`,
        { at: `${method} ${path}`, operation },
      ]),
    ),
  );

/** Path parameters are identified by position, headers by name without regard to case. */
function parametersOf({ parameters = [] }: Json): Map<string, Json> {
  let inPath = 0;
  return new Map(
    parameters.map((parameter: Json) => {
      const { in: place, name } = parameter;
      if (place === 'path') return [`parameter ${++inPath} of the path`, parameter];
      return [`${place} ${place === 'header' ? name.toLowerCase() : name}`, parameter];
    }),
  );
}

/** The kind of token that a caller needs, whatever name the document gives it. */
const lockOf = ({ security = [] }: Json, { components }: Json): Json[] =>
  security.flatMap(Object.keys).map((name: string) => {
    const { type, scheme, in: place, name: called } = components.securitySchemes[name];
    return { type, scheme, place, called };
  });

/** Releases up to 0.1 said it by the keyword. */
const defaultOf = (schema: Json) => schema.default ?? schema['x-default'];

const changeOf = (at: string, keyword: string, before: Json, after: Json) =>
  `${at} has changed its ${keyword} from ${shown(before[keyword])} to ${shown(after[keyword])}.`;

const shown = (value: Json): string => (value === undefined ? 'none' : JSON.stringify(value));
