import type { Carried, CarriedAlong } from '../../base/carried.js';
import { instantShape, objectOf, type Shape } from '../../base/carried-schema.js';
import { AT } from '../../rest/route.js';
import { FORMAT } from './import-file.js';

/** What features declare that is taken along. */
export interface CarriedParts {
  parts: readonly Carried[];
  along: readonly CarriedAlong[];
}

/** Which lists earlier versions did not have yet. */
const lacking = (parts: CarriedParts['parts']) =>
  [...Map.groupBy(parts, ({ list }) => list?.since ?? 1)]
    .filter(([since]) => since > 1)
    .sort(([one], [other]) => one - other)
    .map(([since, lists]) => `before ${since} without ${lists.map(({ name }) => name).join(' and ')}`)
    .join(', ');

/** docs/export.schema.json. */
export function schemaOfFile({ parts, along }: CarriedParts): Shape {
  const members = parts.map(({ name, list, shape, about }): [string, Shape] => {
    const more = along.filter(({ part }) => part === name).map((each) => [each.name, each.shape]);
    const item = { ...shape, properties: { ...shape.properties, ...Object.fromEntries(more) } };
    return [
      name,
      { ...(about && { description: about }), ...(list ? { type: 'array', items: item } : item) },
    ];
  });
  const head = {
    format: { const: FORMAT.format },
    version: {
      description: `Files of earlier versions are imported too: ${lacking(parts)}.`,
      const: FORMAT.version,
    },
    exportedAt: instantShape,
  };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'An export of Steady',
    description:
      'What GET /account/export answers, everything of one account as it was at one moment, and what POST /account/import takes. Required is what an import needs; an export has all fields but those that say otherwise. Instants are since 1970, with a zone; an export writes them in UTC with milliseconds.',
    ...objectOf({ ...head, ...Object.fromEntries(members) }, [
      ...['format', 'version'],
      ...parts.map(({ name }) => name),
    ]),
  };
}

/** For openapi.json: what nobody gives an example of is empty. */
export const exampleOfFile = ({ parts }: CarriedParts): object => ({
  ...FORMAT,
  exportedAt: AT,
  ...Object.fromEntries(
    parts.map(({ name, list, example }) => [name, list ? [example ?? []].flat() : example]),
  ),
});
