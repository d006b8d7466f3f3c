import fc from 'fast-check';
import {
  astFromValue,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  OperationTypeNode,
  print,
} from 'graphql';
import { mix, type Scene } from './fuzz.js';
import { always, sensibleValue, type Value } from './fuzz-values.js';

/** Mutations after which nothing more could be tried: their token has ended. */
export const ENDS_THE_SCENE = ['signOut', 'signOutEverywhere', 'deleteMyAccount'];

/** A document while it is written, and what goes with it. */
export class Draft {
  /** Each value as JSON. */
  readonly variables = new Map<string, { type: string; value: string }>();
  readonly fragments: string[] = [];
  /** Of the root: `Query.me`. */
  readonly fields: string[] = [];

  constructor(readonly scene: Scene) {}

  addVariable(type: string, value: string): string {
    const name = VARIABLE_NAMES[this.variables.size] ?? `v${this.variables.size}`;
    this.variables.set(name, { type, value });
    return `$${name}`;
  }

  /** Of the variables, as JSON. */
  values(): Map<string, string> {
    return new Map([...this.variables].map(([name, { value }]) => [name, value]));
  }

  addFragment(type: string, selections: string): string {
    const name = FRAGMENT_NAMES[this.fragments.length] ?? `F${this.fragments.length}`;
    this.fragments.push(`fragment ${name} on ${type} { ${selections} }`);
    return `...${name}`;
  }
}

/** All are names like any other, as far as GraphQL goes. */
const VARIABLE_NAMES = ['id', 'input', 'constructor', '__proto__', 'hasOwnProperty'];
const FRAGMENT_NAMES = ['constructor', '__proto__', 'A'];
const ALIASES = ['a', 'constructor', '__proto__', 'then', 'toJSON', 'data', 'errors'];

type Part = (draft: Draft) => string;

const nothing = fc.constant<Part>(() => '');

export const { QUERY, MUTATION, SUBSCRIPTION } = OperationTypeNode;

/** Deep enough for the longest way there is that does not lead back. */
const DEPTH = 4;

/** Writes documents that a schema allows. */
export class Writer {
  private readonly known = new Map<string, fc.Arbitrary<Part>>();

  constructor(private readonly schema: GraphQLSchema) {}

  operation(kind: OperationTypeNode): fc.Arbitrary<Part> {
    const root = this.schema.getRootType(kind);
    if (!root) throw new Error(`No ${kind}`);
    const offered = Object.values(root.getFields()).filter(({ name }) => !ENDS_THE_SCENE.includes(name));
    const fields = fc.constantFrom(...offered).chain((field) =>
      this.field(field, DEPTH).map(
        (part): Part =>
          (draft) => {
            draft.fields.push(`${root.name}.${field.name}`);
            return part(draft);
          },
      ),
    );
    const most = kind === SUBSCRIPTION ? 1 : 2;
    return fc.array(fields, { minLength: 1, maxLength: most }).map((parts) => (draft) => {
      // An alias each, so that the same field may come twice.
      const selections = parts.map((part, at) => (at === 0 ? part(draft) : aliased(part(draft))));
      const declared = [...draft.variables].map(([name, { type }]) => `$${name}: ${type}`).join(', ');
      const head = declared ? `${kind} Fuzz(${declared})` : `${kind} Fuzz`;
      return [`${head} { ${selections.join(' ')} }`, ...draft.fragments].join(' ');
    });
  }

  private field(field: GraphQLField<unknown, unknown>, depth: number): fc.Arbitrary<Part> {
    const type = getNamedType(field.type);
    return fc
      .record({
        alias: seldom(fc.constantFrom(...ALIASES)),
        values: fc.tuple(...field.args.map((each) => this.argument(each, field))),
        directive: seldom(directive),
        selections: isObjectType(type) ? this.selections(type, depth - 1) : nothing,
      })
      .map(({ alias, values, directive, selections }) => (draft) => {
        const given = values.flatMap((each) => (each ? [each(draft)] : []));
        return [
          alias ? `${alias}: ${field.name}` : field.name,
          ...(given.length > 0 ? [`(${given.join(', ')})`] : []),
          ...(directive ? [directive(draft)] : []),
          selections(draft),
        ].join(' ');
      });
  }

  /** Of each object its type and id, so that the id may be used later. */
  private selections(type: GraphQLObjectType, depth: number): fc.Arbitrary<Part> {
    const key = `${type.name} ${depth}`;
    const known = this.known.get(key);
    if (known) return known;
    const fields = Object.values(type.getFields());
    const chosen = fields
      .filter((field) => isLeafType(getNamedType(field.type)) || depth > 0)
      .map((field) =>
        mix([3, nothing], [isLeafType(getNamedType(field.type)) ? 3 : 2, this.field(field, depth)]),
      );
    const always = `__typename ${fields.some(({ name }) => name === 'id') ? 'id' : ''}`;
    const form = fc.constantFrom('plain', 'plain', 'plain', 'inline', 'named');
    const made = fc.record({ form, parts: fc.tuple(...chosen) }).map(
      ({ form, parts }): Part =>
        (draft) => {
          const all = `${always} ${parts.map((part) => part(draft)).join(' ')}`;
          if (form === 'inline') return `{ ... on ${type.name} { ${all} } }`;
          if (form === 'named') return `{ ${draft.addFragment(type.name, all)} }`;
          return `{ ${all} }`;
        },
    );
    this.known.set(key, made);
    return made;
  }

  private argument(argument: GraphQLArgument, { name }: GraphQLField<unknown, unknown>) {
    const isId = argument.name === 'id';
    const value = this.value(argument.type, isId ? this.kindIn(name) : argument.name);
    const given = fc.record({ value, isVariable: fc.boolean() }).map(
      ({ value, isVariable }): Part =>
        (draft) => {
          const json = value(draft.scene);
          if (isVariable) return `${argument.name}: ${draft.addVariable(String(argument.type), json)}`;
          const literal = astFromValue(JSON.parse(json), argument.type);
          return `${argument.name}: ${literal ? print(literal) : 'null'}`;
        },
    );
    return isRequiredArgument(argument) ? given : fc.oneof(fc.constant(null), given);
  }

  /** `updateChallengeNotes` → `challenge`: the kind of object whose id a field wants. */
  private kindIn(field: string): string {
    const kinds = Object.values(this.schema.getTypeMap())
      .filter((type) => isObjectType(type) && type.getFields().id)
      .map(({ name }) => name.toLowerCase())
      .filter((name) => field.toLowerCase().includes(name));
    return kinds.sort((a, b) => b.length - a.length)[0] ?? '';
  }

  private value(type: GraphQLInputType, name: string): fc.Arbitrary<Value> {
    if (isNonNullType(type)) return this.valueOf(getNamedType(type), name);
    return mix([9, this.valueOf(getNamedType(type), name)], [1, fc.constant(() => 'null')]);
  }

  private valueOf(type: GraphQLNamedInputType, name: string): fc.Arbitrary<Value> {
    if (isEnumType(type)) return sensibleValue({ enum: type.getValues().map((each) => each.name) }, name);
    if (!isInputObjectType(type)) return scalar(type.name, name);
    const fields = Object.values(type.getFields());
    const values = fields.map((field) => {
      const value = this.value(field.type, field.name);
      return isRequiredInputField(field) ? value : fc.option(value);
    });
    const some: fc.Arbitrary<Value> = fc.tuple(...values).map((all) => (scene) => {
      const members = fields.flatMap(({ name }, at) => {
        const value = all[at];
        return value ? [`${JSON.stringify(name)}:${value(scene)}`] : [];
      });
      return `{${members.join()}}`;
    });
    if (!type.isOneOf) return some;
    const single = fields.map((field) =>
      this.valueOf(getNamedType(field.type), field.name).map<Value>(
        (value) => (scene) => `{${JSON.stringify(field.name)}:${value(scene)}}`,
      ),
    );
    return mix([9, fc.oneof(...single)], [1, some]);
  }
}

const aliased = (selection: string) => (/^\w+:/.test(selection) ? selection : `other: ${selection}`);

const seldom = <T>(arbitrary: fc.Arbitrary<T>) => mix<T | null>([12, fc.constant(null)], [1, arbitrary]);

const directive: fc.Arbitrary<Part> = fc
  .record({ name: fc.constantFrom('skip', 'include'), isTrue: fc.boolean(), isVariable: fc.boolean() })
  .map(({ name, isTrue, isVariable }) => (draft) => {
    return `@${name}(if: ${isVariable ? draft.addVariable('Boolean!', `${isTrue}`) : isTrue})`;
  });

const dayIn = (first: number, last: number) =>
  fc.integer({ min: first, max: last }).map((day) => always(`2026-11-${String(day).padStart(2, '0')}`));

const cursor = fc.nat(20).map(
  (pick): Value =>
    (scene) =>
      JSON.stringify(scene.idOf('cursor', pick) ?? null),
);

function scalar(type: string, name: string): fc.Arbitrary<Value> {
  if (type === 'ID') return sensibleValue({ type: 'integer' }, name);
  if (type === 'Int') return fc.constantFrom(1, 2, 3).map(always);
  if (name === 'amount') return fc.constantFrom(0.001, 1, 2.5, 1_000_000_000).map(always);
  if (name === 'icon') return fc.constantFrom('🏊', '👩‍👩‍👧', 'é').map(always);
  if (name === 'unit' || name === 'tags') return fc.constantFrom('glasses', 'km', '水').map(always);
  if (type === 'Float') return sensibleValue({ type: 'number' }, name);
  if (type === 'Boolean') return sensibleValue({ type: 'boolean' }, name);
  if (type === 'Date') return name === 'from' ? dayIn(1, 20) : dayIn(20, 30);
  if (name === 'after') return cursor;
  return sensibleValue({ type: 'string', minLength: 1, maxLength: 200 }, name);
}
