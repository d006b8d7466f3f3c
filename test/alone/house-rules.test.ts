import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const sources = globSync('src/**/*.ts', { exclude: ['src/graphql/playground/**'] }).sort();

const importsOf = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(/from '([^']+)'|import '([^']+)'/g)].map(([, from, bare]) => {
    const name = from ?? bare ?? '';
    return name.startsWith('.') ? path.normalize(path.join(path.dirname(file), name)) : name;
  });

const folderOf = (file: string) => /^src\/([^/]+)\//.exec(file)?.[1] ?? '';

/** What a folder may import from, besides itself and the files at the top. */
const allowed: Record<string, string[]> = {
  database: [],
  graphql: ['database'],
  accounts: ['database', 'graphql'],
  streaks: ['database', 'graphql', 'accounts'],
  challenges: ['database', 'graphql', 'accounts'],
  tasks: ['database', 'graphql', 'accounts', 'streaks', 'challenges'],
  rest: ['database', 'accounts', 'streaks', 'challenges', 'tasks'],
};

describe('The house', () => {
  it.each(Object.entries(allowed))('lets %s import only from what lies below it', (folder, below) => {
    const files = sources.filter((file) => folderOf(file) === folder);
    const reached = new Set(files.flatMap(importsOf).map(folderOf));
    expect([...reached].filter((other) => other && other !== folder && !below.includes(other))).toEqual([]);
  });

  it('keeps services and what they stand on free of HTTP and GraphQL', () => {
    const core = sources.filter((file) =>
      /\.(service|queries|job)\.ts$|src\/database\/|src\/[^/]*(errors|validation)/.test(file),
    );
    const faces =
      /^(express|graphql|type-graphql|@apollo\/|@as-integrations\/|node:http)|^src\/(graphql|rest)\//;
    expect(core.filter((file) => importsOf(file).some((name) => faces.test(name)))).toEqual([]);
    expect(core.length).toBeGreaterThan(10);
  });

  it('reads the time in one place', () => {
    const readers = sources.filter((file) => /new Date\(\)|Date\.now\(\)/.test(readFileSync(file, 'utf8')));
    expect(readers).toEqual(['src/clock.ts']);
  });

  it('describes every variable of the environment in docs/configuration.md', async () => {
    const { settings } = await import('../../src/config.js');
    const rows = readFileSync('docs/configuration.md', 'utf8').matchAll(/^\| `([A-Z_]+)`/gm);
    const described = [...rows].map(([, name]) => name).sort();
    expect(described).toEqual(
      Object.values(settings)
        .map(({ name }) => name)
        .sort(),
    );
  });
});
