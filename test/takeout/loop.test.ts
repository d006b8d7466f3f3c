import { expect, it } from 'vitest';
import { TemplateService } from '../../src/challenges/template.service.js';
import { ImportService } from '../../src/takeout/import.service.js';
import { convertLoop } from '../../src/takeout/loop/convert.js';
import { driftsOf } from '../support/drifts.js';
import { loopFiles, zipOf } from '../support/loop.js';
import { world } from '../support/world.js';

it('What Loop has exported is imported as an export of ours', async () => {
  const here = await world();
  const ana = await here.newUser();
  const { document } = convertLoop(zipOf(loopFiles()), here.clock.now());
  const account = { timeZone: 'Pacific/Kiritimati', dayStartsAt: 4 };
  const file = Buffer.from(JSON.stringify({ ...document, account }));
  const imports = new ImportService(here.database, here.clock, new TemplateService(here.database));
  await imports.check(ana.id, file);
  expect(await ana.query('{ tasks { totalCount } }')).toEqual({ tasks: { totalCount: 0 } });
  expect(await imports.run(ana.id, file)).toEqual({ tasks: 6, challenges: 0, completions: 11 });
  const { tasks, me } = await ana.query(
    '{ tasks(archived: null) { nodes { title completionCount archivedAt target { amount unit } calendar(from: "2026-11-15", to: "2026-11-20") { state amount notes } } } me { points streak { days longest } } }',
  );
  expect(
    tasks.nodes.map((task: { title: string; completionCount: number; archivedAt: string | null }) => [
      task.title,
      task.completionCount,
      task.archivedAt !== null,
    ]),
  ).toEqual([
    ['Meditate', 3, false],
    ['Wake up, early', 1, false],
    ['Lauf 😀', 3, false],
    ['Cigarettes', 2, false],
    ['Old "habit"', 2, true],
    ['Meditate', 0, false],
  ]);
  expect(me).toEqual({ points: 110, streak: { days: 5, longest: 5 } });
  expect(await driftsOf(here, ana)).toEqual([]);
  const run = tasks.nodes.find(({ title }: { title: string }) => title === 'Lauf 😀');
  expect(run).toMatchObject({
    target: { amount: 5, unit: 'km' },
    calendar: [
      { state: 'REST' }, // before its first entry
      { state: 'SKIPPED' },
      { state: 'KEPT', amount: 12.5, notes: ['far'] },
      { state: 'MISSED' },
      { state: 'PARTIAL', amount: 4.999 },
      { state: 'KEPT', amount: 5 },
    ],
  });
  await expect(imports.check(ana.id, file)).rejects.toThrow('The account has tasks already');
});
