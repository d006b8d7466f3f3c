import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const PAGE = 'docs/clients.md';
const text = readFileSync(PAGE, 'utf8');

/** A link to a file, and below it the file. */
const SHOWN = /\[`(examples\/[^`]+)`\]\(([^)]+)\)\n\n```ts\n(?:[\s\S]*?\n)??```\n/g;

describe(PAGE, () => {
  it('shows the files that the tests run (`npx vitest run clients-doc -u` copies them)', async () => {
    const copied = text.replace(SHOWN, (_all, file: string, link: string) => {
      expect(path.join('docs', link)).toBe(file);
      return `[\`${file}\`](${link})\n\n\`\`\`ts\n${readFileSync(file, 'utf8')}\`\`\`\n`;
    });
    await expect(copied).toMatchFileSnapshot(path.resolve(PAGE));
  });

  it('shows no other code, which nothing would run', () => {
    const shown = [...text.matchAll(SHOWN)].map(([, file]) => file);
    expect(text.match(/^```\w+$/gm)).toHaveLength(shown.length);
    expect(new Set(shown).size).toBe(shown.length);
  });
});

describe('The types of the examples', () => {
  it('say exactly what a scalar is, ids included, and nowhere `any`', () => {
    const made = ['clients', 'first-screen'].map((example) =>
      readFileSync(`examples/${example}/gql/graphql.ts`, 'utf8'),
    );
    for (const types of made) expect(types).not.toMatch(/: any\b/);
    const screen = made[1];
    expect(screen).toMatch(
      /type TapMutationVariables = Exact<\{\n {2}taskId: string;\n {2}key: string;\n {2}amount\?: number \| null/,
    );
    expect(screen).toMatch(/today: string, todayEndsAt: string, streak/);
  });

  it('let a task be made of a title alone in REST', () => {
    const input = /CreateTaskInput: \{[\s\S]*?\n {8}\};/.exec(
      readFileSync('examples/clients/api.d.ts', 'utf8'),
    )?.[0];
    const required = [...(input ?? '').matchAll(/^ +(\w+): /gm)].map(([, name]) => name);
    expect(required).toEqual(['title']);
  });
});
