import { describe, expect, it } from 'vitest';
import { type Keys, keysIn, type Shape } from '../../src/base/carried-schema.js';
import { exampleOfFile, schemaOfFile } from '../../src/features/export-import/export-schema.js';
import { carried } from '../../src/features.js';

const schema = schemaOfFile(carried);

const objectsIn = (part: Shape): Shape[] => [
  ...(part.properties ? [part] : []),
  ...Object.values(part.properties ?? {}).flatMap(objectsIn),
  ...(part.items ? objectsIn(part.items) : []),
];

/** Those of a value that are not among the keys. */
const strangersIn = (value: unknown, keys: Keys | null): string[] => {
  if (Array.isArray(value)) return value.flatMap((each) => strangersIn(each, keys));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    keys && name in keys ? strangersIn(each, keys[name] ?? null) : [name],
  );
};

describe('docs/export.schema.json', () => {
  it('is what the features declare', async () => {
    const text = `${JSON.stringify(schema, null, 2)}\n`;
    await expect(text).toMatchFileSnapshot('../../docs/export.schema.json');
  });

  it('says of every object that there is nothing else in it', () => {
    expect(objectsIn(schema).every(({ additionalProperties }) => additionalProperties === false)).toBe(true);
  });

  it('requires what an import needs, and names it', () => {
    for (const { name, needed, fields } of carried.parts)
      expect(Object.keys(fields), name).toEqual(expect.arrayContaining(needed));
  });

  it('knows what the example in openapi.json has', () => {
    expect(strangersIn(exampleOfFile(carried), keysIn(schema))).toEqual([]);
  });
});
