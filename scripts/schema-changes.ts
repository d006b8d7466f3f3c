import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { buildSchema, findBreakingChanges, type GraphQLSchema, isEnumType, isObjectType } from 'graphql';

// Compares `schema.graphql` with that of the last release, if there is one: docs/schema-changes.md.

const SCHEMA = 'schema.graphql';

/** `User.name`, `DayState.OPEN`: what a release has announced that it goes. */
function* deprecatedIn(schema: GraphQLSchema): Generator<string> {
  for (const type of Object.values(schema.getTypeMap())) {
    const members = isObjectType(type)
      ? Object.values(type.getFields())
      : isEnumType(type)
        ? type.getValues()
        : [];
    for (const { name, deprecationReason } of members)
      if (deprecationReason != null) yield `${type.name}.${name}`;
  }
}

/** What would break a client of `before`: a line for each. */
export function breaksBetween(before: string, after: string): string[] {
  const [old, now] = [buildSchema(before), buildSchema(after)];
  const mayGo = new Set(deprecatedIn(old));
  const isAnnounced = (line: string) => {
    const [, field = '', value = '', owner = ''] =
      /^(\w+\.\w+) was removed\.$|^(\w+) was removed from enum type (\w+)\.$/.exec(line) ?? [];
    return mayGo.has(field || `${owner}.${value}`);
  };
  return findBreakingChanges(old, now)
    .map(({ description }) => description)
    .filter((line) => !isAnnounced(line));
}

function lastRelease(): string | undefined {
  const asked = spawnSync('git', ['describe', '--tags', '--abbrev=0', '--match', 'v*'], { encoding: 'utf8' });
  return asked.status === 0 ? asked.stdout.trim() : undefined;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const tag = lastRelease();
  const before = tag && spawnSync('git', ['show', `${tag}:${SCHEMA}`], { encoding: 'utf8' }).stdout;
  const breaks = before ? breaksBetween(before, readFileSync(SCHEMA, 'utf8')) : [];
  for (const line of breaks) console.error(`${SCHEMA} breaks clients of ${tag}: ${line}`);
  if (breaks.length > 0) process.exitCode = 1;
}
