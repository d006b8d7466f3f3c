import { expect, it } from 'vitest';
import { demoDocument } from '../../scripts/seed/demo.ts';
import { importedFrom } from '../../src/features/export-import/validate-import.js';
import { carried } from '../../src/features.js';

it.each(['2026-11-24T15:30:00.000Z', '2028-02-29T00:00:00.001Z', '2027-01-01T23:59:59.999Z'])(
  'The year of the demo can be imported whenever it is made, and is the same for the same day: %s',
  async (at) => {
    const now = new Date(at);
    const document = demoDocument(now);
    const here = { now, templates: [], hasZone: async () => true, isAdded: false };
    const { values } = await importedFrom(Buffer.from(JSON.stringify(document)), here, carried);
    expect(values.completions).toHaveLength(document.completions.length);
    expect(demoDocument(new Date(at))).toEqual(document);
  },
);
