import type { JsonSchema } from '../../base/validation.js';
import { objectOf, type Serializer, TEXT, whole } from '../../rest/serializer.js';
import type { ImportCounts } from './import.service.js';

const countsSerializer = objectOf<ImportCounts>(
  'ImportCounts',
  Object,
  {
    tasks: whole((counts) => counts.tasks, 'The number of tasks.'),
    challenges: whole((counts) => counts.challenges, 'The number of challenges.'),
    completions: whole((counts) => counts.completions, 'The number of completions.'),
  },
  'What was imported.',
);

/** An export of Steady leaves nothing out, and its answer has no such list. */
export const importCountsSerializer: Serializer<ImportCounts> = {
  write: (counts) => {
    const { existing, leftOut } = counts;
    const more = [
      existing && `"existing":${JSON.stringify(existing)}`,
      leftOut && `"left_out":${JSON.stringify(leftOut)}`,
    ];
    return `${[countsSerializer.write(counts).slice(0, -1), ...more.filter(Boolean)].join()}}`;
  },
  schema: {
    ...countsSerializer.schema,
    properties: {
      ...(countsSerializer.schema.properties as JsonSchema),
      existing: {
        ...countsSerializer.schema,
        title: 'ExistingCounts',
        description: 'Only with `into`: what of the file was there already.',
      },
      left_out: {
        type: 'array',
        items: TEXT,
        description: 'Only for a file of another app: a line for everything in it that Steady has not taken.',
      },
    },
  },
};
