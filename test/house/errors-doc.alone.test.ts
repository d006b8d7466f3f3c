import { describe, expect, it } from 'vitest';
import { reasons } from '../../src/errors.js';

const row = (cells: string[]) => `| ${cells.join(' | ')} |`;

const table = [
  row(['reason', 'comes with the code', 'what it means', 'what to do']),
  row(['---', '---', '---', '---']),
  ...Object.entries(reasons).map(([reason, { codes, meaning, advice }]) =>
    row([`\`${reason}\``, codes.map((code) => `\`${code}\``).join(', '), meaning, advice]),
  ),
].join('\n');

const page = `# Errors

Every error of GraphQL has a message for people, and for programs \`extensions.code\`, the kind of "no", and \`extensions.reason\`, why. Both are closed sets, and neither changes its meaning. A program may act on each reason, and should treat one that it does not know yet like the others with its code.

\`extensions.fields\` names the inputs at fault, \`retryAfter\` is in seconds, \`outcome\` tells what became of a change (\`NOT_APPLIED\`, \`UNKNOWN\`, or \`APPLIED\` where a mutation is done and only a field of its answer failed), and \`limit\`, \`maximum\` and \`actual\` tell which limit was exceeded. The same holds over HTTP, WebSockets and event streams. REST has the status and the message only.

This table is made from \`src/errors.ts\`: \`npx vitest run errors-doc -u\` writes it.

${table}
`;

describe('docs/errors.md', () => {
  it('tells of every reason what the code knows', async () => {
    await expect(page).toMatchFileSnapshot('../../docs/errors.md');
  });
});
