import { describe, expect, it } from 'vitest';
import { reasons } from '../../src/reasons.js';

const row = (cells: string[]) => `| ${cells.join(' | ')} |`;

const table = [
  row(['reason', 'comes with the code', 'what it means', 'what to do']),
  row(['---', '---', '---', '---']),
  ...Object.entries(reasons).map(([reason, { codes, meaning, advice }]) =>
    row([`\`${reason}\``, codes.map((code) => `\`${code}\``).join(', '), meaning, advice]),
  ),
].join('\n');

const page = `# Errors

Every error of GraphQL has a message for people, and for programs \`extensions.code\`, the kind of "no", and \`extensions.reason\`, why. Codes and reasons are closed sets: a program may act on each of them, and treat one that it does not know like the others with its code. A reason does not change its meaning, and none is taken away without six months of notice.

\`extensions.fields\` names the inputs at fault, \`retryAfter\` is in seconds, \`outcome\` is \`NOT_APPLIED\` or \`UNKNOWN\`, and \`limit\`, \`maximum\` and \`actual\` tell which limit was exceeded. The same holds over HTTP, WebSockets and event streams. REST has the status and the message only.

This table is made from \`src/reasons.ts\`: \`npx vitest run -u errors-doc\` writes it.

${table}
`;

describe('docs/errors.md', () => {
  it('tells of every reason what the code knows', async () => {
    await expect(page).toMatchFileSnapshot('../../docs/errors.md');
  });
});
