import { readFileSync } from 'node:fs';
import { buildSchema, isEnumType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { reasons } from '../../src/features.js';

const list = Object.entries(reasons)
  .map(([reason, { codes, meaning, advice }]) => {
    const named = codes.map((code) => `\`${code}\``).join(', ');
    return `- **\`${reason}\`** (${named}): ${meaning} ${advice}`;
  })
  .join('\n');

const page = `# Errors

Every error of GraphQL has a message for people, and for programs \`extensions.code\`, the kind of "no", and \`extensions.reason\`, why. Releases may add to both, and never change what one means; treat a reason that you do not know like the others with its code. REST has the status, the message, and the reason in the header \`Error-Reason\`.

- \`fields\` is a list of what is at fault, each with a \`message\` and a \`name\`: the argument, or the field of \`input\`, as a form has them. What lies deeper has a \`path\` too, which begins there, such as \`["reminders", 0, "at"]\`; in a list of inputs it begins with the place in the list.
- \`retryAfter\` is in seconds.
- \`outcome\` tells what became of a change: \`NOT_APPLIED\`, \`UNKNOWN\` or \`APPLIED\`.
- \`limit\`, \`maximum\` and \`actual\` tell which limit was exceeded: \`cost\`, \`depth\`, \`aliases\`, \`root fields\`, \`tokens\`, \`name length\`, \`subscription size\`, \`answer size\` or \`bytes read\`.

Each reason, its codes, what it means, and what a client should do (made from the \`reasons.ts\` of each feature and \`src/base/errors.ts\` by \`npm run generate\`):

${list}
`;

describe('docs/errors.md', () => {
  it('tells of every reason what the code knows', async () => {
    await expect(page).toMatchFileSnapshot('../../docs/errors.md');
  });

  it('tells of the reasons that the schema has, and of one that REST alone has', () => {
    const schema = buildSchema(readFileSync('schema.graphql', 'utf8'));
    const type = schema.getType('Reason');
    const values = isEnumType(type) ? type.getValues().map(({ name }) => name) : [];
    expect([...values, 'TASK_OF_ANOTHER'].sort()).toEqual(Object.keys(reasons).sort());
  });
});
