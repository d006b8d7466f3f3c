import { expect, it } from 'vitest';
import { demoDocument } from '../../src/commands/seed.demo.js';
import { importedFrom } from '../../src/takeout/validate-import.js';

it.each(['2026-11-24T15:30:00.000Z', '2028-02-29T00:00:00.001Z', '2027-01-01T23:59:59.999Z'])(
  'The year of the demo can be imported whenever it is made, and is the same for the same day: %s',
  async (at) => {
    const now = new Date(at);
    const document = demoDocument(now);
    const imported = await importedFrom(Buffer.from(JSON.stringify(document)), { now, templates: [] });
    expect(imported.completions).toHaveLength(document.completions.length);
    expect(imported.tasks.map(({ target }) => [target?.kind, target?.per])).toContainEqual([
      'AT_MOST',
      undefined,
    ]);
    expect(new Set(imported.tasks.map(({ section }) => section)).size).toBe(4);
    expect(imported.skips.length).toBeGreaterThan(5);
    expect(imported.completions.filter(({ note }) => note).length).toBeGreaterThan(20);
    expect(demoDocument(new Date(at))).toEqual(document);
  },
);
