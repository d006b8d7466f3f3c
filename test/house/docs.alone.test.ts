import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../bin/command-line.js';

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

const withoutBlocks = (text: string) => text.replace(/^```[\s\S]*?^```/gm, '');

/** The anchors of its headings, as the sites that show Markdown make them. */
const sectionsOf = (file: string) =>
  [...withoutBlocks(readFileSync(file, 'utf8')).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );

const files = [...folders, 'docs'].flatMap((folder) => filesIn(folder));

/** Files of ours: from the top, from `src` as most pages name them, or by the last part of the path alone. */
const isThere = (named: string) =>
  ['', 'src', 'test'].some((folder) =>
    ['', '.ts'].some((ending) => existsSync(path.join(folder, named + ending))),
  ) || files.some((file) => file.endsWith(`/${named}`));

const isPath = (span: string) =>
  /^[\w.-]+(\/[\w.*…<>-]+)+\/?$/.test(span) || /^[\w-]+\.(ts|md|graphql|json)$/.test(span);

/** Patterns such as `<thing>.service.ts`, media types and names of packages are no files of ours. */
const isOurs = (span: string) =>
  !/[*…<>]/.test(span) &&
  (/\.tsx?$/.test(span) || new RegExp(`^(${[...folders, 'docs'].join('|')})/`).test(span));

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

  it('names files that are there', () => {
    const named = [...withoutBlocks(text).matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
    expect(named.filter((span) => isPath(span) && isOurs(span) && !isThere(span))).toEqual([]);
  });

  it('names commands that are there', () => {
    const commands = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name);
    expect(commands.filter((name) => !(name in scripts))).toEqual([]);
    const ours = [...text.matchAll(/(?:`|^|steady )steady (?:--\w+ \S+ )*([a-z][a-z ]*)/gm)].map(
      ([, name = '']) => name,
    );
    const known = new RegExp(`^(start|${Object.keys(COMMANDS).join('|')})\\b`);
    expect(ours.filter((name) => !known.test(name))).toEqual([]);
  });
});
