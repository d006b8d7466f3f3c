import { expect, it } from 'vitest';
import { driftsOf } from '../support/drifts.js';
import { LEFT_OUT, loopFiles, zipOf } from '../support/loop.js';
import { type TestUser, worldOf } from '../support/world.js';

it('What Loop has exported is imported as an export of ours, and another kind of file is refused in a sentence', async () => {
  const { ana, ...here } = await worldOf('ana');
  await ana.query(
    'mutation { updateProfile(input: { timeZone: "Pacific/Kiritimati", dayStartsAt: 4 }) { user { id } } }',
  );
  expect(await uploaded(ana, Buffer.from('SQLite format 3\0'))).toEqual([
    400,
    { error: 'This is a backup of Loop’s database: in Loop, choose “Export as CSV” instead' },
  ]);
  expect(await uploaded(ana, zipOf(loopFiles()))).toEqual([
    201,
    { tasks: 6, challenges: 0, completions: 11, left_out: LEFT_OUT },
  ]);
  const { tasks, me } = await ana.query(
    `{ tasks(archived: ANY) { nodes { title calendar(from: "2026-11-15", to: "2026-11-20") { state } } }
      me { points timeZone dayStartsAt streak { count longest } } }`,
  );
  expect(me).toEqual({
    ...{ points: 90, streak: { count: 5, longest: 5 } },
    ...{ timeZone: 'Pacific/Kiritimati', dayStartsAt: 4 },
  });
  expect(await driftsOf(here, ana)).toEqual([]);
  const statesOf = (title: string) =>
    tasks.nodes
      .find((task: { title: string }) => task.title === title)
      .calendar.map(({ state }: { state: string }) => state);
  // It rests before its first entry.
  expect(statesOf('Lauf 😀')).toEqual(['REST', 'SKIPPED', 'KEPT', 'MISSED', 'PARTIAL', 'KEPT']);
  expect(statesOf('Cigarettes')).toEqual(['REST', 'REST', 'REST', 'EXCEEDED', 'KEPT', 'KEPT']);
});

async function uploaded({ rest }: TestUser, bytes: Buffer) {
  const headers = { authorization: `Bearer ${rest.token}`, 'content-type': 'application/zip' };
  const sent = { method: 'POST', headers, body: new Uint8Array(bytes) };
  const answer = await fetch(`${rest.base}/account/import`, sent);
  return [answer.status, await answer.json()];
}
