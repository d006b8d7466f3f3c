import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { Random } from '../chaos/random.js';

/** What a document may name: texts as they stand in it, by the name of an argument, or of a field and its argument. */
export type Known = Record<string, string[]>;

export interface HostileDocument {
  query: string;
  /** How many fields are written down: a fragment counts wherever it is spread. */
  fields: number;
}

/** Most of what the limits allow: aliases and nesting are counted as the text is written. */
export interface Room {
  depth: number;
  aliases: number;
  rootFields: number;
}

const SIZES = ['', '1', '2', '100', '10', '50'];

/** Where the genes say so; the first of them is the plainest. */
class Genes {
  private at = 0;

  constructor(private readonly values: readonly number[]) {}

  /** A whole number below `count`; 0 once there are no more genes. */
  below(count: number): number {
    const value = this.values[this.at] ?? 0;
    this.at += 1;
    return value % count;
  }

  pick<T>(choices: readonly [T, ...T[]] | readonly T[]): T {
    return choices[this.below(choices.length)] as T;
  }

  get areLeft(): boolean {
    return this.at < this.values.length;
  }
}

/**
 * A valid query for each list of numbers. Small changes to the numbers are small changes to the query, so that
 * a search can go from one to a worse one, and fast-check can shrink what it has found.
 */
export function documentOf(
  schema: GraphQLSchema,
  known: Known,
  room: Room,
  genes: readonly number[],
): HostileDocument {
  const root = schema.getQueryType();
  if (!root) throw new Error('No queries');
  return new Writer(known, room, new Genes(genes)).document(root);
}

class Writer {
  private aliases = 0;
  private fields = 0;
  private readonly fragments: string[] = [];

  constructor(
    private readonly known: Known,
    private readonly room: Room,
    private readonly genes: Genes,
  ) {}

  document(root: GraphQLObjectType): HostileDocument {
    const selections = this.selections(root, 1, this.room.rootFields);
    const query = [`{ ${selections} }`, ...this.fragments].join(' ');
    return { query, fields: this.fields };
  }

  private selections(type: GraphQLObjectType, depth: number, most = 5): string {
    const possible = Object.values(type.getFields()).filter((field) => this.isPossible(type, field, depth));
    const leaves = possible.filter((field) => !isObjectType(getNamedType(field.type)));
    const taken = new Set<string>();
    const parts: string[] = [];
    const objects = possible.filter((field) => !leaves.includes(field));
    const count = 1 + this.genes.below(most);
    for (let i = 0; i < count && (i === 0 || this.genes.areLeft); i += 1) {
      // What leads on is rare among the fields, and what costs is behind it.
      const from = !this.genes.areLeft
        ? leaves
        : this.genes.below(3) === 0 || objects.length === 0
          ? possible
          : objects;
      const field = from.length > 0 ? this.genes.pick(from) : undefined;
      if (!field) continue;
      const isTaken = taken.has(field.name);
      if (isTaken && this.aliases >= this.room.aliases) continue;
      taken.add(field.name);
      this.aliases += isTaken ? 1 : 0;
      const alias = isTaken ? `a${this.aliases}: ` : '';
      parts.push(alias + this.field(type, field, depth));
    }
    this.fields += parts.length === 0 ? 1 : 0;
    return this.wrapped(type, parts.length > 0 ? parts.join(' ') : '__typename');
  }

  /** As it is, or as a fragment, which means the same. */
  private wrapped(type: GraphQLObjectType, selections: string): string {
    const form = this.genes.below(8);
    if (form === 1) return `... on ${type.name} { ${selections} }`;
    if (form !== 2) return selections;
    const name = `F${this.fragments.length}`;
    this.fragments.push(`fragment ${name} on ${type.name} { ${selections} }`);
    return `...${name}`;
  }

  private field(parent: GraphQLObjectType, field: GraphQLField<unknown, unknown>, depth: number): string {
    const path = `${parent.name}.${field.name}`;
    this.fields += 1;
    const given = field.args.flatMap((argument) => {
      const value = this.valueOf(path, argument);
      return value === '' ? [] : [`${argument.name}: ${value}`];
    });
    const args = given.length > 0 ? `(${given.join(', ')})` : '';
    const type = getNamedType(field.type);
    if (!isObjectType(type)) return field.name + args;
    return `${field.name}${args} { ${this.selections(type, depth + 1)} }`;
  }

  /** Empty: not given. */
  private valueOf(path: string, argument: GraphQLArgument): string {
    if (argument.name === 'first') return this.genes.pick(SIZES);
    const values = this.knownFor(path, argument);
    return this.genes.pick(isRequiredArgument(argument) ? values : ['', ...values]);
  }

  private knownFor(path: string, { name }: GraphQLArgument): string[] {
    return this.known[`${path}.${name}`] ?? this.known[name] ?? [];
  }

  private isPossible(
    parent: GraphQLObjectType,
    { name, type, args }: GraphQLField<unknown, unknown>,
    depth: number,
  ): boolean {
    if (isObjectType(getNamedType(type)) && depth >= this.room.depth) return false;
    const required = args.filter(isRequiredArgument);
    return required.every((each) => this.knownFor(`${parent.name}.${name}`, each).length > 0);
  }
}

export interface Found {
  genes: readonly number[];
  document: HostileDocument;
  statements: number;
  score: number;
}

/** Goes from document to document towards a higher score; what scores nothing leads nowhere. */
export async function climb(
  start: readonly number[],
  { steps, seed }: { steps: number; seed: number },
  measure: (genes: readonly number[]) => Promise<Found>,
): Promise<void> {
  const random = new Random(seed);
  let best = await measure(start);
  for (let step = 0; step < steps; step += 1) {
    const next = await measure(mutated(best.genes, random));
    if (next.score >= best.score) best = next;
  }
}

/** A list of numbers near to another: some changed, some put in, some left out, some said again. */
function mutated(genes: readonly number[], random: Random): number[] {
  const mutant = [...genes];
  const gene = () => random.whole(0, 999);
  const anywhere = () => random.whole(0, mutant.length);
  for (let times = random.whole(1, 4); times > 0; times -= 1) {
    const at = anywhere();
    const part = mutant.slice(at, at + random.whole(1, 8));
    const change = random.pick([
      () => mutant.splice(at, 1, gene()),
      () => mutant.splice(at, 0, gene(), gene()),
      () => mutant.splice(at, random.whole(1, 4)),
      () => mutant.splice(anywhere(), 0, ...part),
    ]);
    change();
  }
  return mutant.slice(0, 300);
}
