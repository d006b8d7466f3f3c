import {
  astFromValue,
  DangerousChangeType,
  findBreakingChanges,
  findDangerousChanges,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isNonNullType,
  isObjectType,
  isSpecifiedScalarType,
  print,
} from 'graphql';

/** Changes for clients of the last release, as sentences. */
export interface SchemaChanges {
  /** Could make a request fail that succeeded before. */
  breaking: string[];
  /** Removed after enough months of @deprecated. */
  expired: string[];
  /** Breaks no request but may surprise its sender: other defaults, new enum values. */
  surprising: string[];
  added: string[];
}

const MONTHS_OF_NOTICE = 6;

export function changesBetween(released: GraphQLSchema, next: GraphQLSchema, today: Date): SchemaChanges {
  const [before, after] = [membersOf(released), membersOf(next)];
  const defaults = changedDefaults(before, after);
  const expired = removable(released, next, today);
  const broken = [
    ...findBreakingChanges(released, next).map(({ description }) => description),
    ...defaults.filter(({ isBreaking }) => isBreaking).map(({ description }) => description),
  ];
  return {
    breaking: broken.filter((description) => !expired.has(description)),
    expired: broken.filter((description) => expired.has(description)),
    surprising: [
      ...findDangerousChanges(released, next)
        .filter(({ type }) => !SEEN_ELSEWHERE.has(type))
        .map(({ description }) => description),
      ...defaults.filter(({ isBreaking }) => !isBreaking).map(({ description }) => description),
    ],
    added: [...after.values()]
      .filter(({ at, parent }) => !before.has(at) && (parent === undefined || before.has(parent)))
      .filter(({ isEnumValue, input }) => !isEnumValue && !(input && isRequired(input)))
      .map(({ at }) => `${at} was added.`),
  };
}

const SEEN_ELSEWHERE = new Set<string>([
  DangerousChangeType.ARG_DEFAULT_VALUE_CHANGE,
  DangerousChangeType.OPTIONAL_ARG_ADDED,
  DangerousChangeType.OPTIONAL_INPUT_FIELD_ADDED,
]);

/** A type or a part of one: `Query.tasks(first:)` has the parent `Query.tasks`, whose parent is `Query`. */
interface Member {
  at: string;
  parent?: string;
  /** The sentence that graphql-js reports when this is removed. */
  removal: string;
  reason?: string | null | undefined;
  /** The name of its type. */
  of?: string;
  input?: GraphQLArgument | GraphQLInputField;
  isEnumValue?: boolean;
}

const membersOf = (schema: GraphQLSchema): Map<string, Member> =>
  new Map(
    Object.values(schema.getTypeMap())
      .filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type))
      .flatMap((type) => [{ at: type.name, removal: `${type.name} was removed.` }, ...partsOf(type)])
      .map((member) => [member.at, member]),
  );

function partsOf(type: GraphQLNamedType): Member[] {
  const parent = type.name;
  if (isEnumType(type)) {
    return type.getValues().map(({ name, deprecationReason: reason }) => {
      const removal = `${name} was removed from enum type ${parent}.`;
      return { at: `${parent}.${name}`, parent, reason, removal, isEnumValue: true };
    });
  }
  const removalOf = (name: string) => `${parent}.${name} was removed.`;
  if (isInputObjectType(type)) {
    return Object.values(type.getFields()).map((input) => ({
      ...{ at: `${parent}.${input.name}`, parent, removal: removalOf(input.name), input },
      ...{ reason: input.deprecationReason, of: getNamedType(input.type).name },
    }));
  }
  if (!isObjectType(type)) return []; // the schema has no interfaces or unions
  return Object.values(type.getFields()).flatMap((field) => {
    const at = `${parent}.${field.name}`;
    const ofField = getNamedType(field.type).name;
    return [
      { at, parent, removal: removalOf(field.name), reason: field.deprecationReason, of: ofField },
      ...field.args.map((input) => ({
        ...{
          at: `${at}(${input.name}:)`,
          parent: at,
          removal: `${at} arg ${input.name} was removed.`,
          input,
        },
        ...{ reason: input.deprecationReason, of: getNamedType(input.type).name },
      })),
    ];
  });
}

/** The removals that are allowed: deprecated for long enough, or a type that only such members used. */
function removable(released: GraphQLSchema, next: GraphQLSchema, today: Date): Set<string> {
  const before = membersOf(released);
  const members = [...before.values()];
  const roots = [released.getQueryType(), released.getMutationType(), released.getSubscriptionType()];
  const isRoot = (name: string) => roots.some((root) => root?.name === name);
  const isDue = ({ reason, parent }: Member): boolean => {
    const field = parent === undefined ? undefined : before.get(parent);
    return hadNotice(reason, today) || hadNotice(field?.reason, today);
  };
  const isGone = (name: string) => next.getType(name) === undefined;
  const typeOf = ({ at }: Member) => at.replace(/\..*$/, '');
  const leadsTo = (name: string) => (user: Member) =>
    isRoot(name) ? user.parent === name : user.of === name && !isGone(typeOf(user));
  const mayGo = (member: Member) => {
    if (member.parent !== undefined) return isDue(member);
    return members.filter(leadsTo(member.at)).every(isDue);
  };
  return new Set(members.filter(mayGo).map(({ removal }) => removal));
}

/** The reason of a deprecation must give its date: "Since 2026-11-21: use points." */
function hadNotice(reason: string | null | undefined, today: Date): boolean {
  const since = new Date(/\d{4}-\d{2}-\d{2}/.exec(reason ?? '')?.[0] ?? Number.NaN);
  since.setUTCMonth(since.getUTCMonth() + MONTHS_OF_NOTICE);
  return since <= today;
}

/** graphql-js does not compare defaults of input fields, and does not report a default that is new. */
function changedDefaults(before: Map<string, Member>, after: Map<string, Member>) {
  return [...before.values()].flatMap(({ at, input }) => {
    const next = after.get(at)?.input;
    if (!input || !next || defaultOf(input) === defaultOf(next)) return [];
    const description = `${at} has changed its default from ${defaultOf(input)} to ${defaultOf(next)}.`;
    return [{ isBreaking: isRequired(next), description }];
  });
}

const isRequired = ({ defaultValue, type }: GraphQLArgument | GraphQLInputField) =>
  defaultValue === undefined && isNonNullType(type);

function defaultOf({ defaultValue, type }: GraphQLArgument | GraphQLInputField): string {
  const value = astFromValue(defaultValue, type);
  return value ? print(value) : 'none';
}
