import { describe, expect, it } from 'vitest';
import { streamOf } from '../support/live.js';
import { type TestUser, worldOf } from '../support/world.js';

const lists = `{ me { sections } tasks { nodes { title section } } }`;

const stateOf = async (ana: TestUser) => {
  const { me, tasks } = await ana.query(lists);
  const nodes: { title: string; section: string | null }[] = tasks.nodes;
  return [me.sections, nodes.map(({ title, section }) => `${title} ${section ?? '–'}`)];
};

const create = async (ana: TestUser, title: string, section: string | null = null): Promise<string> => {
  const query = `mutation ($title: String!, $section: String) {
    createTask(input: { title: $title, section: $section }) { task { id } } }`;
  return (await ana.query(query, { title, section })).createTask.task.id;
};

const move = (ana: TestUser, args: string) =>
  ana.query(`mutation { moveTask(${args}) { task { section } } }`);

const rename = async (ana: TestUser, from: string, to: string | null) => {
  const query = `mutation ($from: String!, $to: String) {
    renameSection(name: $from, newName: $to) { taskCount user { sections } } }`;
  return (await ana.query(query, { from, to })).renameSection;
};

const household = async () => {
  const { ana, ...here } = await worldOf('ana');
  const read = await create(ana, 'Read', 'Evening');
  const swim = await create(ana, 'Swim', ' Morning ');
  const walk = await create(ana, 'Walk', 'MORNING');
  const call = await create(ana, 'Call');
  return { ...here, ana, read, swim, walk, call };
};

describe('Sections', () => {
  it('are compared without regard to case and shown as first written, in the order of their first task', async () => {
    const { ana, swim } = await household();
    const tasks = ['Read Evening', 'Swim Morning', 'Walk Morning', 'Call –'];
    expect(await stateOf(ana)).toEqual([['Evening', 'Morning'], tasks]);
    await move(ana, `id: "${swim}", behindTaskId: null`);
    expect(await stateOf(ana)).toEqual([
      ['Morning', 'Evening'],
      ['Swim Morning', 'Read Evening', 'Walk Morning', 'Call –'],
    ]);
  });

  it('filter a list, whatever the case, in the user’s own order, also together with what is open', async () => {
    const { ana, swim, walk } = await household();
    const titles = async (args: string) =>
      (await ana.query(`{ tasks(${args}) { nodes { title } } }`)).tasks.nodes.map(
        ({ title }: { title: string }) => title,
      );
    expect(await titles('section: " mOrning "')).toEqual(['Swim', 'Walk']);
    expect(await titles('section: "Noon"')).toEqual([]);
    await move(ana, `id: "${swim}", behindTaskId: "${walk}"`);
    for (const more of ['', ', today: OPEN', ', archived: ANY'])
      expect(await titles(`section: "Morning"${more}`), more).toEqual(['Walk', 'Swim']);
    await ana.completes({ id: Number(swim) });
    expect(await titles('section: "Morning", today: OPEN')).toEqual(['Walk']);
  });

  it('take a task that is moved or changed into them, and let it go', async () => {
    const { ana, read, call, walk } = await household();
    expect(
      (await move(ana, `id: "${call}", behindTaskId: "${read}", section: "evening"`)).moveTask.task.section,
    ).toBe('Evening');
    await move(ana, `id: "${read}", behindTaskId: "${read}", section: null`);
    await ana.query(`mutation { updateTask(id: "${walk}", input: { section: "EVENING" }) { task { id } } }`);
    expect(await stateOf(ana)).toEqual([
      ['Evening', 'Morning'],
      ['Read –', 'Call Evening', 'Swim Morning', 'Walk Evening'],
    ]);
    await ana.query(`mutation { updateTask(id: "${walk}", input: { section: null }) { task { id } } }`);
    await move(ana, `id: "${call}", behindTaskId: "${walk}"`);
    expect((await stateOf(ana))[1]).toEqual(['Read –', 'Swim Morning', 'Walk –', 'Call Evening']);
  });

  it('are renamed, become one, are dissolved and respelt, with the tasks that are archived', async () => {
    const { ana, walk } = await household();
    await ana.query(`mutation { archiveTask(id: "${walk}") { task { id } } }`);
    for (const [from, to, taskCount, ...sections] of [
      [' morning ', ' Dawn ', 2, 'Evening', 'Dawn'],
      ['Dawn', 'DAWN', 2, 'Evening', 'DAWN'],
      ['dawn', 'evening', 2, 'Evening'],
      ['Evening', null, 3],
      ['Evening', 'Dawn', 0],
    ] as const)
      expect(await rename(ana, from, to)).toEqual({ taskCount, user: { sections } });
  });

  it('are dissolved only by a null that is given', async () => {
    const { ana } = await household();
    const forgotten = 'mutation { renameSection(name: "Evening") { taskCount } }';
    expect((await ana.rest.ask(forgotten)).errors).toMatchObject([
      { extensions: { reason: 'INVALID_INPUT', fields: [{ name: 'newName' }] } },
    ]);
    expect((await stateOf(ana))[0]).toEqual(['Evening', 'Morning']);
  });

  it('of tasks in use are shown: an archived task takes its own along and brings it back', async () => {
    const { ana, read } = await household();
    const set = (what: string) => ana.query(`mutation { ${what}(id: "${read}") { task { section } } }`);
    const sections = async () => (await stateOf(ana))[0];
    expect((await set('archiveTask')).archiveTask.task.section).toBe('Evening');
    expect(await sections()).toEqual(['Morning']);
    await create(ana, 'Tea', 'EVENING');
    await set('unarchiveTask');
    expect(await sections()).toEqual(['Evening', 'Morning']);
  });

  it('are each user’s own, and a change of them is an event', async () => {
    const { ana, newUser } = await household();
    const bea = await newUser();
    await create(bea, 'Tea', 'EVENING');
    const events = await streamOf(ana, 'subscription { progressChanged { kind task { id } } }');
    await rename(ana, 'Evening', 'Night');
    expect(await events.next()).toEqual({ data: { progressChanged: { kind: 'TASK_CHANGED', task: null } } });
    expect((await stateOf(bea))[0]).toEqual(['EVENING']);
  });

  it('are exported and imported, and those of one name become one', async () => {
    const { ana, newUser } = await household();
    const file = (await ana.rest.get('/account/export')).body;
    file.tasks[2].section = 'mornING';
    const bea = await newUser();
    await bea.rest.post('/account/import', file);
    expect(await stateOf(bea)).toEqual(await stateOf(ana));
  });
});
