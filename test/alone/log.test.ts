import { expect, it } from 'vitest';
import { createLog } from '../../src/log.js';

it('The log tells of a failing statement, and nothing of its data', () => {
  const lines: string[] = [];
  const log = createLog({ logLevel: 'info' }, { write: (line) => void lines.push(line) });
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
