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
