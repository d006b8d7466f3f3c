import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../bin/command-line.js';
import type { RefusalKind } from '../../src/base/errors.js';
import { settings } from '../../src/features/settings.js';
import { codeOf } from '../../src/graphql/errors.js';
import { statusOf } from '../../src/rest/errors.js';

const pages = [
  'README.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  ...filesIn('docs', '.md'),
  'packages/client/README.md',
  'examples/first-screen/README.md',
];

function filesIn(folder: string, ending = ''): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((file) => file.endsWith(ending) && !file.includes('node_modules'));
}

const folders = ['src', 'packages/client/src', 'migrations', 'scripts', 'bench', 'test', 'examples', '.ci'];

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
    ...['mikro-orm.config.ts', 'vitest.config.ts', 'package.json', 'tsconfig.json', 'schema.graphql'],
    ...['.npmrc', 'Dockerfile', 'compose.yaml'],
  ]
    .filter((file) =>
      /Dockerfile$|\.(ts|tsx|json|graphql|css|html|npmrc|yaml|service|conf)$|\.ci\/run$/.test(file),
    )
    .flatMap((file) => readFileSync(file, 'utf8').match(/[A-Za-z_][\w-]*\w/g) ?? []),
);

const withoutBlocks = (text: string) => text.replace(/^```[\s\S]*?^```/gm, '');

/** The anchors of its headings, as the sites that show Markdown make them. */
const sectionsOf = (file: string) =>
  [...withoutBlocks(readFileSync(file, 'utf8')).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );

const spansIn = (text: string) =>
  [...withoutBlocks(text).matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);

const files = [...folders, 'docs'].flatMap((folder) => filesIn(folder));

/** From the top, from `src` as most pages name them, or by the last part of the path alone. */
const isThere = (named: string) =>
  ['', 'src', 'test'].some((folder) =>
    [named, `${named}.ts`].some((file) => existsSync(path.join(folder, file))),
  ) || files.some((file) => file.endsWith(`/${named}`));

const isPath = (span: string) =>
  /^[\w.-]+(\/[\w.*…<>-]+)+\/?$/.test(span) || /^[\w-]+\.(ts|md|graphql|json)$/.test(span);

/** And no pattern such as `<thing>.service.ts`, media type or name of a package. */
const isFileOfOurs = (span: string) =>
  isPath(span) &&
  !/[*…<>]/.test(span) &&
  (/\.tsx?$/.test(span) || new RegExp(`^(${[...folders, 'docs'].join('|')})/`).test(span));

/** Names in other tools. */
const elsewhere = [
  ...['pg_dump', 'psql', 'citus', 'EBADENGINE', 'lc_messages', 'log_min_duration_statement'],
  ...['log_parameter_max_length_on_error', 'task_assignment_policy'],
];

const variables = Object.values(settings).flatMap(({ name }) => [name, `${name}_FILE`]);
const known = new Set([...variables, ...elsewhere, ...words]);

/** A name of the code, or a member of a class of ours. */
function isKnown(name: string): boolean {
  const parts = name.replace(/\(.*\)$/, '').split('.');
  const [first = '', second = ''] = parts;
  const source = second && classes.get(first);
  if (source) return new RegExp(`\\b${second}\\b`).test(source + typeNamed(first));
  return parts.every((part) => known.has(part) || /^\w$/.test(part));
}

const isName = (span: string) => /^[A-Za-z_]\w*(\.\w+)*(\(.*\))?$/.test(span);

describe.each(pages)('%s', (page) => {
  const text = readFileSync(page, 'utf8');

  it('links to what is there', () => {
    const links = [...withoutBlocks(text).matchAll(/\]\(([^)#\s]*)(?:#([^)]*))?\)/g)];
    const missing = links.filter(([, target = '', section]) => {
      if (/^https?:/.test(target)) return false;
      const file = target ? path.join(path.dirname(page), target) : page;
      return !existsSync(file) || (section !== undefined && !sectionsOf(file).includes(section));
    });
    expect(missing.map(([link]) => link)).toEqual([]);
  });

  it('names files, variables and code that are there', () => {
    const spans = spansIn(text);
    expect(spans.filter((span) => isFileOfOurs(span) && !isThere(span))).toEqual([]);
    expect(spans.filter((span) => isName(span) && !isPath(span) && !isKnown(span))).toEqual([]);
  });

  it('names commands that are there', () => {
    const commands = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name);
    expect(commands.filter((name) => !(name in scripts))).toEqual([]);
    const ours = [...text.matchAll(/(?:`|^|steady )steady (?:--\w+ \S+ )*([a-z][a-z ]*)/gm)].map(
      ([, name = '']) => name,
    );
    const declared = new RegExp(`^(start|${Object.keys(COMMANDS).join('|')})\\b`);
    expect(ours.filter((name) => !declared.test(name))).toEqual([]);
  });
});

it('docs/architecture.md says what each kind of refusal becomes', () => {
  const table = readFileSync('docs/architecture.md', 'utf8').matchAll(
    /^\| `(\w+)` \| (\d{3}) \| `(\w+)` \|$/gm,
  );
  const said = [...table].map(([, kind, status, code]) => [kind, Number(status), code]);
  const known = Object.entries(statusOf).map(([kind, status]) => [kind, status, codeOf[kind as RefusalKind]]);
  expect(said.sort()).toEqual(known.sort());
});

it('The tree in docs/architecture.md names what is there, folders as folders', () => {
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
  expect(named.filter((entry) => !existsSync(entry))).toEqual([]);
  expect(named.filter((entry) => statSync(entry).isDirectory() !== entry.endsWith('/'))).toEqual([]);
});
