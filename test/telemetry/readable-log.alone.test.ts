import { expect, it } from 'vitest';
import { createLog } from '../../src/telemetry/log.js';
import { asText } from '../../src/telemetry/readable.js';

it('On a terminal, a line of the log has time, level, message and fields, then the stack of an error, and obeys nothing in them', () => {
  const lines: string[] = [];
  const log = createLog({ logLevel: 'info' }, { write: (line) => void lines.push(asText(line)) });
  log.info({ method: 'GET', status: 200, name: 'two words' }, 'Request');
  log.error({ err: new TypeError('no function') }, 'A request failed');
  expect(lines.join('')).toMatch(
    /^\d\d:\d\d:\d\d INFO {2}Request method=GET status=200 name="two words"\n\d\d:\d\d:\d\d ERROR A request failed\n {4}TypeError: no function\n {4}at .+/,
  );
  for (const odd of ['\u001b[2J', 'a\nb', '\u202e', '\u0007', '\ud800', '\u2028']) {
    log.warn({ text: odd, deep: { text: odd } }, `Message ${odd}`);
    expect(lines.at(-1)).toMatch(/^[\x20-\x7e]*\n$/);
  }
});
