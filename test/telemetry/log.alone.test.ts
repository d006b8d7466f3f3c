import type { Logger } from 'pino';
import { describe, expect, it } from 'vitest';
import { createLog } from '../../src/telemetry/log.js';

function recorded() {
  const lines: string[] = [];
  const log: Logger = createLog({ logLevel: 'trace' }, { write: (line) => void lines.push(line) });
  return { log, lines };
}

describe('The log', () => {
  it('tells of a failing statement, and nothing of its data', () => {
    const { log, lines } = recorded();
    const email = 'ana@example.com';
    const secrets = { query: 'insert into users', params: [email, 'hash'], detail: email };
    log.error({ err: Object.assign(new Error('disk full'), secrets, { code: '53100' }) }, 'A request failed');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      msg: 'A request failed',
      err: { message: 'disk full', code: '53100', stack: expect.stringContaining('disk full') },
    });
    expect(lines.join()).not.toMatch(/ana@example\.com|hash|insert/);
  });

  it.each(['s3cret', null, 5, { password: 's3cret' }])('tells nothing of a non-error: %j', (thrown) => {
    const { log, lines } = recorded();
    log.error({ err: thrown }, 'A request failed');
    expect(JSON.parse(lines[0] ?? '').err).toMatchObject({ type: typeof thrown });
    expect(lines.join()).not.toContain('s3cret');
  });

  it.each([
    ['a line of its own', 'x\n{"level":50,"msg":"forged"}'],
    ['colours and a bell', '\u001b[31mred\u001b[0m\u0007'],
    ['quotes and backslashes', '","msg":"forged\\'],
  ])('stays one line of JSON with %s in it', (_what, text) => {
    const { log, lines } = recorded();
    log.error({ err: new Error(text), path: text, method: text }, text);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^\P{Cc}*\n$/u);
    const fields = ['level', 'time', 'err', 'path', 'method', 'msg'];
    expect(Object.keys(JSON.parse(lines[0] ?? ''))).toEqual(fields);
  });
});
