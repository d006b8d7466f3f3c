import { diag } from '@opentelemetry/api';
import { expect, it, onTestFinished, vi } from 'vitest';
import { secretsForReceiver } from '../../src/config/traces.js';
import { Complaints } from '../../src/telemetry/complaints.js';

function complaints(secrets: string[] = []) {
  const lines: string[] = [];
  const heard = new Complaints({ secrets, onWarning: (line) => void lines.push(line) });
  heard.listen();
  onTestFinished(() => diag.disable());
  return { heard, lines };
}

it('The SDK complains of its settings in one line, and of its sending in one line in five minutes', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { heard, lines } = complaints();
  diag.warn('Unknown protocol');
  diag.error('Unknown sampler');
  diag.error('Unknown sampler');
  heard.settingsAreRead();
  const failed = JSON.stringify({ message: 'Unauthorized', code: '401', stack: 'at x', data: 'an answer' });
  for (let times = 0; times < 9; times += 1) diag.error(failed);
  vi.advanceTimersByTime(299_999);
  diag.error(failed);
  vi.advanceTimersByTime(2);
  diag.warn('Dropped 7 spans');
  const goesOn = 'Traces are not sent as they should be, and the service goes on: ';
  expect(lines).toEqual([
    'What OTEL_… says of traces is not all understood: Unknown protocol; Unknown sampler',
    `${goesOn}Unauthorized (401)`,
    `${goesOn}Dropped 7 spans`,
  ]);
});

it('No complaint has in it what a header or an address for the receiver keeps secret', () => {
  const { heard, lines } = complaints(
    secretsForReceiver({
      OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20abc%2Fdef, x-key = k3y-one',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-other=k3y-two',
      PATH: '/usr/bin',
    }),
  );
  heard.notStarted(
    new Error(
      'Bearer%20abc%2Fdef, Bearer abc/def, abc/def, k3y-one, k3y-two\nhttps://ana:pw/1@host/x?token=t at /usr/bin',
    ),
  );
  expect(lines).toEqual([
    'No traces are made: what OTEL_… says cannot be done: …, …, …, …, … …@host/x?… at /usr/bin',
  ]);
});
