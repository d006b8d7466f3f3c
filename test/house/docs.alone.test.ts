import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { settings } from '../../src/config.js';

/** In one form, so that a reader sees at once what holds; a date says since when. */
const STATUS =
  /^# (\d+)\. (.+)\n\nStatus: (holds|replaced by)(, changed by)?((?:,| and)? \[\d+\]\(.+?\))* \(\d{4}-\d\d-\d\d\)\.\n\n/;

const records = filesIn('docs/decisions', '.md').map((file) => {
  const text = readFileSync(file, 'utf8');
  const [head = '', number = '', title = '', state = '', changed] = STATUS.exec(text) ?? [];
  const others = [...head.matchAll(/\[(\d+)\]\((.+?)\)/g)].map(([, number = '', name = '']) => ({
    number,
    name,
  }));
  const isReplaced = state === 'replaced by';
  return {
    file,
    name: path.basename(file),
    number,
    title,
    isReplaced,
    needsOthers: isReplaced || !!changed,
    others,
  };
});

/** Records that were replaced speak of their own time. */
const pages = [
  'README.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  ...filesIn('docs', '.md'),
  'examples/habit-cli/README.md',
  'examples/first-screen/README.md',
].filter((page) => !records.some(({ file, isReplaced }) => isReplaced && file === page));

function filesIn(folder: string, ending = ''): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((file) => file.endsWith(ending) && !file.includes('node_modules'));
}

const folders = ['src', 'migrations', 'scripts', 'bench', 'test', 'examples', '.ci'];

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };

/** The source of each class, by its name. */
const classes = new Map(
  filesIn('src', '.ts').flatMap((file) => {
    const source = readFileSync(file, 'utf8');
    return [...source.matchAll(/\bclass (\w+)/g)].map(([, name = '']) => [name, source] as const);
  }),
);

/** What the GraphQL schema says of a type. */
const typeNamed = (name: string) =>
  new RegExp(`^type ${name} \\{[^}]*`, 'm').exec(readFileSync('schema.graphql', 'utf8'))?.[0] ?? '';

/** Every word of the code, so that a name can be looked for without knowing where it is. */
const words = new Set(
  [
    ...folders.flatMap((folder) => filesIn(folder)),
    ...[
      'mikro-orm.config.ts',
      'package.json',
      'schema.graphql',
      'vitest.config.ts',
      '.npmrc',
      'tsconfig.json',
      'Dockerfile',
      'compose.yaml',
    ],
  ]
    .filter((file) =>
      /Dockerfile$|\.(ts|tsx|json|graphql|css|html|npmrc|yaml|service|conf)$|\.ci\/run$/.test(file),
    )
    .flatMap((file) => readFileSync(file, 'utf8').match(/[A-Za-z_][\w-]*\w/g) ?? []),
);

const withoutBlocks = (text: string) => text.replace(/^```[\s\S]*?^```/gm, '');

const spansIn = (text: string) =>
  [...withoutBlocks(text).matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);

const files = [...folders, 'docs'].flatMap((folder) => filesIn(folder));

/** Files of ours: from the top, from `src` as most pages name them, or by the last part of the path alone. */
const isThere = (named: string) =>
  [named, path.join('src', named), path.join('test', named)].some(
    (file) => existsSync(file) || existsSync(`${file}.ts`),
  ) || files.some((file) => file.endsWith(`/${named}`));

const isPath = (span: string) =>
  /^[\w.-]+(\/[\w.*…<>-]+)+\/?$/.test(span) || /^[\w-]+\.(ts|md|graphql|json)$/.test(span);

/** Patterns such as `<thing>.service.ts`, media types and names of packages are no files of ours. */
const isOurs = (span: string) =>
  !/[*…<>]/.test(span) && new RegExp(`^(${[...folders, 'docs'].join('|')})/`).test(span);

/** Names in other tools. */
const elsewhere = new Set([
  'persistedDocuments',
  'EBADENGINE',
  'log_min_duration_statement',
  'target_session_attrs',
]);

const isName = (span: string) => /^[A-Za-z_]\w*(\.\w+)*(\(.*\))?$/.test(span);

describe.each(pages)('%s', (page) => {
  const text = readFileSync(page, 'utf8');

  it('links to what is there', () => {
    const targets = [...withoutBlocks(text).matchAll(/\]\(([^)#\s]+)(#[^)]*)?\)/g)].map(
      ([, target = '']) => target,
    );
    const missing = targets.filter(
      (target) => !/^https?:/.test(target) && !existsSync(path.join(path.dirname(page), target)),
    );
    expect(missing).toEqual([]);
  });

  it('names files that are there', () => {
    const missing = spansIn(text).filter(
      (span) =>
        isPath(span) && (isOurs(span) || /\.tsx?$/.test(span)) && !/[*…<>]/.test(span) && !isThere(span),
    );
    expect(missing).toEqual([]);
  });

  it('names commands that are there', () => {
    const commands = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name);
    expect(commands.filter((name) => !(name in scripts))).toEqual([]);
  });

  it('names variables and code that are there', () => {
    const known = new Set(Object.values(settings).flatMap(({ name }) => [name, `${name}_FILE`]));
    const names = spansIn(text).filter((span) => isName(span) && !isPath(span));
    const unknown = names.filter((span) => {
      const parts = span.replace(/\(.*\)$/, '').split('.');
      const [first = '', second = ''] = parts;
      const source = second && classes.get(first);
      if (source) return !new RegExp(`\\b${second}\\b`).test(source + typeNamed(first));
      return !parts.every(
        (part) => known.has(part) || elsewhere.has(part) || words.has(part) || /^\w$/.test(part),
      );
    });
    expect([...new Set(unknown)]).toEqual([]);
  });
});

describe('The records of decisions', () => {
  it.each(records)('$name says in one form whether it holds, and what replaced or changed it', (record) => {
    const { name, number, needsOthers, others } = record;
    expect(name.startsWith(`${number.padStart(4, '0')}-`), 'its number and its status line').toBe(true);
    expect(others.length > 0, 'names other records if they replaced or changed it').toBe(needsOthers);
    for (const other of others) {
      const meant = records.find(({ name }) => name === other.name);
      expect(meant, other.name).toMatchObject({ number: other.number, isReplaced: false });
    }
  });

  it('are listed in docs/README.md, each once, by its title', () => {
    const list = readFileSync('docs/README.md', 'utf8');
    const listed = [...list.matchAll(/^- \[(.+)\]\(decisions\/(.+?)\)(.*)$/gm)].map(
      ([, title, name, rest]) => ({
        title,
        name,
        rest,
      }),
    );
    const expected = records.map(({ number, title, name, isReplaced, others }) => ({
      title: `${number}. ${title}`,
      name,
      rest: isReplaced ? ` (replaced by ${others[0]?.number})` : '',
    }));
    const byName = (one: { name?: string }, other: { name?: string }) =>
      (one.name ?? '').localeCompare(other.name ?? '');
    expect(listed.sort(byName)).toEqual(expected.sort(byName));
  });
});

describe('The tree in docs/architecture.md', () => {
  const [, tree = ''] =
    /## Folders\n\n```\n([\s\S]*?)```/.exec(readFileSync('docs/architecture.md', 'utf8')) ?? [];
  const lines = tree.split('\n').flatMap((line) => {
    const [, indent = '', name = ''] = /^( *)([\w.-]+\/?)/.exec(line) ?? [];
    return name ? [{ depth: indent.length / 2, name }] : [];
  });
  const parents: string[] = [];
  const named = lines.map(({ depth, name }) => {
    parents.length = depth;
    parents[depth] = name;
    return parents.join('');
  });

  it('names what is there, folders as folders', () => {
    const missing = named.filter((entry) => !statSync(entry, { throwIfNoEntry: false }));
    expect(missing).toEqual([]);
    expect(named.filter((entry) => statSync(entry).isDirectory() !== entry.endsWith('/'))).toEqual([]);
  });

  it('names all that src itself holds', () => {
    const text = tree.replace(/^src\/$/m, '');
    const entries = readdirSync('src', { withFileTypes: true }).map(
      (entry) => `${entry.name}${entry.isDirectory() ? '/' : ''}`,
    );
    expect(entries.filter((entry) => !text.includes(entry))).toEqual([]);
  });
});

it('docs/upgrading.md says which migrations cannot be undone', () => {
  const files = readdirSync('migrations').filter((name) => /^\d{4}_/.test(name));
  const lasting = files.filter((name) => !/\bdown\(/.test(readFileSync(`migrations/${name}`, 'utf8')));
  const numbers = lasting.map((name) => name.slice(0, 4)).sort();
  const said = `${numbers[0]} to ${numbers.at(-1)} have no \`down\``;
  expect(numbers).toEqual(
    files
      .map((name) => name.slice(0, 4))
      .sort()
      .slice(0, numbers.length),
  );
  expect(readFileSync('docs/upgrading.md', 'utf8')).toContain(said);
});
