import { readFileSync } from 'node:fs';
import { buildSchema, isEnumType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { reasons } from '../../src/errors.js';

const list = Object.entries(reasons)
  .map(([reason, { codes, meaning, advice }]) => {
    const named = codes.map((code) => `\`${code}\``).join(', ');
    return `- **\`${reason}\`** (${named}): ${meaning} ${advice}`;
  })
  .join('\n');

const page = `# Errors

Every error of GraphQL has a message for people, and for programs \`extensions.code\`, the kind of "no", and \`extensions.reason\`, why. Both are closed sets, and neither changes its meaning; treat a reason that you do not know like the others with its code. REST has the status, the message, and the reason in the header \`Error-Reason\`.

\`fields\` names the inputs at fault, \`retryAfter\` is in seconds, \`outcome\` tells what became of a change (\`NOT_APPLIED\`, \`UNKNOWN\`, \`APPLIED\`), and \`limit\`, \`maximum\` and \`actual\` tell which limit was exceeded.

Each reason, its codes, what it means, and what a client should do (made from \`src/errors.ts\` by \`npx vitest run errors-doc -u\`):

${list}
`;

describe('docs/errors.md', () => {
  it('tells of every reason what the code knows', async () => {
    await expect(page).toMatchFileSnapshot('../../docs/errors.md');
  });

  it('tells of the reasons that the schema has, and of no others', () => {
    const schema = buildSchema(readFileSync('schema.graphql', 'utf8'));
    const type = schema.getType('Reason');
    const values = isEnumType(type) ? type.getValues().map(({ name }) => name) : [];
    expect(values.sort()).toEqual(Object.keys(reasons).sort());
  });
});
