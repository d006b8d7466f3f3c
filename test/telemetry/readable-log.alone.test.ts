import { describe, expect, it } from 'vitest';
import { createLog } from '../../src/telemetry/log.js';
import { asText } from '../../src/telemetry/readable.js';

function shown(write: (log: ReturnType<typeof createLog>) => void): string[] {
  const lines: string[] = [];
  write(createLog({ logLevel: 'info' }, { write: (line) => void lines.push(asText(line)) }));
  return lines;
}

describe('On a terminal, a line of the log', () => {
  it('has time, level, message and fields', () => {
    const [line] = shown((log) => log.info({ method: 'GET', status: 200, name: 'two words' }, 'Request'));
    expect(line).toMatch(/^\d\d:\d\d:\d\d INFO {2}Request method=GET status=200 name="two words"\n$/);
  });

  it('is followed by the stack of an error', () => {
    const [line] = shown((log) => log.error({ err: new TypeError('no function') }, 'A request failed'));
    expect(line).toMatch(/^\d\d:\d\d:\d\d ERROR A request failed\n {4}TypeError: no function\n {4}at .+/);
  });

  it.each(['\u001b[2J', 'a\nb', '\u202e', '\u0007', '\ud800', '\u2028'])(
    'shows %j, and does not obey it',
    (text) => {
      const [line = ''] = shown((log) => log.warn({ text, deep: { text } }, `Message ${text}`));
      expect(line.endsWith('\n')).toBe(true);
      expect(line.slice(0, -1)).toMatch(/^[\x20-\x7e]*$/);
    },
  );
});
