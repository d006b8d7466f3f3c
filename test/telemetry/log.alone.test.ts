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
    const secrets = {
      query: 'insert into users',
      params: ['ana@example.com', 'hash'],
      detail: 'ana@example.com',
    };
    log.error({ err: Object.assign(new Error('disk full'), secrets, { code: '53100' }) }, 'A request failed');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      msg: 'A request failed',
      err: { message: 'disk full', code: '53100', stack: expect.stringContaining('disk full') },
    });
    expect(lines.join()).not.toMatch(/ana@example\.com|hash|insert/);
  });

  it('tells which request a line belongs to', () => {
    const lines: string[] = [];
    let requestId: string | undefined = 'made-by-7';
    const log = createLog(
      { logLevel: 'info', requestId: () => requestId },
      { write: (line) => void lines.push(line) },
    );
    log.info('in it');
    requestId = undefined;
    log.info('after it');
    expect(lines.map((line) => JSON.parse(line).request)).toEqual(['made-by-7', undefined]);
  });

  it.each(['s3cret', null, 5, { password: 's3cret' }])('tells nothing of a non-error: %j', (thrown) => {
    const { log, lines } = recorded();
    log.error({ err: thrown }, 'A request failed');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      err: { type: typeof thrown },
      msg: 'A request failed',
    });
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
    expect(Object.keys(JSON.parse(lines[0] ?? ''))).toEqual([
      'level',
      'time',
      'err',
      'path',
      'method',
      'msg',
    ]);
  });
});
