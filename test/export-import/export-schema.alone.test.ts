import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Keys } from '../../src/base/carried.js';
import { describeInput } from '../../src/base/validation.js';
import { ImportedAccount } from '../../src/features/account/carried.js';
import { ImportedChallenge } from '../../src/features/challenges/carried.js';
import { keysOfFile } from '../../src/features/export-import/validate-import.js';
import { ImportedTask } from '../../src/features/habits/carried.js';
import { ImportedCompletion } from '../../src/features/history/completions/carried.js';
import { ImportedPause, ImportedSkip } from '../../src/features/history/pauses/carried.js';
import { carried } from '../../src/features.js';

interface Schema {
  additionalProperties?: boolean;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
}

const schema: Schema = JSON.parse(
  readFileSync(new URL('../../docs/export.schema.json', import.meta.url), 'utf8'),
);

const keysOf = ({ properties, items }: Schema): Keys | null => {
  if (items) return keysOf(items);
  if (!properties) return null;
  return Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, keysOf(each)]));
};

const objectsIn = (part: Schema): Schema[] => [
  ...(part.properties ? [part] : []),
  ...Object.values(part.properties ?? {}).flatMap(objectsIn),
  ...(part.items ? objectsIn(part.items) : []),
];

it('The schema of an export names the fields that an import knows, and no others', () => {
  expect(keysOf(schema)).toEqual(keysOfFile(carried));
  expect(objectsIn(schema).every(({ additionalProperties }) => additionalProperties === false)).toBe(true);
});

it.each([
  ['account', ImportedAccount],
  ['tasks', ImportedTask],
  ['challenges', ImportedChallenge],
  ['completions', ImportedCompletion],
  ['skips', ImportedSkip],
  ['pauses', ImportedPause],
])('The schema of an export requires what an import needs: %s', (name, type) => {
  const part = schema.properties?.[name];
  const needed = describeInput(type).flatMap((each) => (each.isOptional ? [] : each.name));
  expect([...((part?.items ?? part)?.required ?? [])].sort()).toEqual(needed.sort());
});
