import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { describe, expect, it } from 'vitest';

interface Locked {
  version: string;
  integrity?: string;
  resolved?: string;
  link?: boolean;
  hasInstallScript?: boolean;
}

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));

const manifest: Record<string, Record<string, string>> = read('package.json');
const { dependencies = {}, devDependencies = {}, optionalDependencies = {} } = manifest;
const allowScripts = manifest.allowScripts as unknown as Record<string, boolean>;

const locked = Object.entries<Locked>(read('package-lock.json').packages).filter(([place]) => place !== '');

describe('What is installed', () => {
  it('is pinned: every package has its checksum, and all come over https', () => {
    for (const [place, { integrity, resolved, link }] of locked) {
      expect(integrity, place).toMatch(/^sha512-[\w+/]{86}==$/);
      expect(link, place).toBeUndefined();
      if (resolved) expect(resolved, place).toMatch(/^https:/);
    }
  });

  it('is exactly what package.json names, and no range of versions', () => {
    const asked = { ...dependencies, ...devDependencies, ...optionalDependencies };
    for (const [name, version] of Object.entries(asked)) {
      expect(version, name).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
      const [, found] = locked.find(([place]) => place === `node_modules/${name}`) ?? [];
      expect(found?.version, name).toBe(version);
    }
  });

  it('runs nothing at its installation that was not decided on by name', () => {
    const scripted = locked.flatMap(([place, { hasInstallScript }]) =>
      hasInstallScript ? [place.replace(/.*node_modules\//, '')] : [],
    );
    expect(Object.keys(allowScripts).sort()).toEqual([...new Set(scripted)].sort());
    expect(new Set(Object.values(allowScripts))).toEqual(new Set([false]));
    // Else npm runs, with a warning, what is not decided on.
    expect(readFileSync('.npmrc', 'utf8')).toMatch(/^strict-allow-scripts=true$/m);
  });
});

it('In production, nothing is used that package.json does not name, and nothing installed that nobody uses', () => {
  const sources = globSync(['src/**/*.ts', 'migrations/*.ts', 'mikro-orm.config.ts'], {
    exclude: ['src/graphql/playground/**', 'src/page/{client,worker}/**'],
  });
  const imported = new Set(
    sources.flatMap((file) => {
      const text = readFileSync(file, 'utf8');
      const names = text.matchAll(/(?:from |import |import\(|resolve\()'(@?\w[\w./:-]*)'/g);
      return [...names].map(([, name = '']) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'));
    }),
  );

  const foreign = [...imported].filter((name) => !isBuiltin(name) && !(name in dependencies));
  expect(foreign).toEqual([]);
  const peers = ['graphql-scalars']; // TypeGraphQL wants it beside itself
  expect(Object.keys(dependencies).filter((name) => !imported.has(name))).toEqual(peers);
});
