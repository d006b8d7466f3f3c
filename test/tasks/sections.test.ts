import { describe, expect, it } from 'vitest';
import { streamOf } from '../support/live.js';
import { type TestUser, worldOf } from '../support/world.js';

const createIn = async (ana: TestUser, title: string, section: string) => {
  const input = `{ title: "${title}", section: "${section}" }`;
  return (await ana.query(`mutation { createTask(input: ${input}) { task { id } } }`)).createTask.task.id;
};

/** The sections, and the section of each task. */
const stateOf = async (ana: TestUser) => {
  const { me, tasks } = await ana.query('{ me { sections } tasks { nodes { title section } } }');
  const nodes: { title: string; section: string | null }[] = tasks.nodes;
  return [me.sections.join(', '), nodes.map(({ title, section }) => `${title} ${section ?? '–'}`).join(', ')];
};

const household = async () => {
  const { ana, ...here } = await worldOf('ana');
  const read = await createIn(ana, 'Read', 'Evening');
  const swim = await createIn(ana, 'Swim', ' Morning ');
  const walk = await createIn(ana, 'Walk', 'MORNING');
  const call = `${(await ana.hasTask({ title: 'Call' })).id}`;
  const change = (mutation: string) => ana.query(`mutation { ${mutation} { task { section } } }`);
  const rename = async (from: string, to: string | null) => {
    const names = `name: "${from}", newName: ${JSON.stringify(to)}`;
    const mutation = `mutation { renameSection(${names}) { taskCount user { sections } } }`;
    return (await ana.query(mutation)).renameSection;
  };
  return { ...here, ana, read, swim, walk, call, change, rename, state: () => stateOf(ana) };
};

describe('Sections', () => {
  it('are compared without regard to case and shown as first written, in the order of their first task', async () => {
    const { swim, change, state } = await household();
    expect(await state()).toEqual(['Evening, Morning', 'Read Evening, Swim Morning, Walk Morning, Call –']);
    await change(`moveTask(id: ${swim}, behindTaskId: null)`);
    expect(await state()).toEqual(['Morning, Evening', 'Swim Morning, Read Evening, Walk Morning, Call –']);
  });

  it('filter a list, whatever the case, in the user’s own order, also together with what is open', async () => {
    const { ana, swim, walk, change } = await household();
    const titles = async (args: string) =>
      (await ana.query(`{ tasks(${args}) { nodes { title } } }`)).tasks.nodes
        .map(({ title }: { title: string }) => title)
        .join(', ');
    expect(await titles('section: " mOrning "')).toBe('Swim, Walk');
    expect(await titles('section: "Noon"')).toBe('');
    await change(`moveTask(id: ${swim}, behindTaskId: ${walk})`);
    for (const more of ['', ', today: OPEN', ', archived: ANY'])
      expect(await titles(`section: "Morning"${more}`), more).toBe('Walk, Swim');
    await ana.completes({ id: Number(swim) });
    expect(await titles('section: "Morning", today: OPEN')).toBe('Walk');
  });

  it('take a task that is moved or changed into them, and let it go', async () => {
    const { read, call, walk, change, state } = await household();
    await change(`moveTask(id: ${call}, behindTaskId: ${read}, section: "evening")`);
    await change(`moveTask(id: ${read}, behindTaskId: ${read}, section: null)`);
    await change(`updateTask(id: ${walk}, input: { section: "EVENING" })`);
    expect(await state()).toEqual(['Evening, Morning', 'Read –, Call Evening, Swim Morning, Walk Evening']);
    await change(`updateTask(id: ${walk}, input: { section: null })`);
    await change(`moveTask(id: ${call}, behindTaskId: ${walk})`);
    expect((await state())[1]).toBe('Read –, Swim Morning, Walk –, Call Evening');
  });

  it('are renamed, become one, are dissolved and respelt, with the tasks that are archived', async () => {
    const { ana, read, walk, change, rename, state } = await household();
    await change(`archiveTask(id: ${read})`);
    expect((await state())[0]).toBe('Morning'); // of tasks in use
    await change(`unarchiveTask(id: ${read})`);
    await change(`archiveTask(id: ${walk})`);
    const forgotten = await ana.rest.ask('mutation { renameSection(name: "Evening") { taskCount } }');
    const extensions = { reason: 'INVALID_INPUT', fields: [{ name: 'newName' }] };
    expect(forgotten.errors).toMatchObject([{ extensions }]); // only a null that is given dissolves
    expect((await state())[0]).toBe('Evening, Morning');
    for (const [from, to, taskCount, ...sections] of [
      [' morning ', ' Dawn ', 2, 'Evening', 'Dawn'],
      ['Dawn', 'DAWN', 2, 'Evening', 'DAWN'],
      ['dawn', 'evening', 2, 'Evening'],
      ['Evening', null, 3],
      ['Evening', 'Dawn', 0],
    ] as const)
      expect(await rename(from, to)).toEqual({ taskCount, user: { sections } });
  });

  it('are each user’s own, and a change of them is an event', async () => {
    const { ana, newUser, rename } = await household();
    const bea = await newUser();
    await createIn(bea, 'Tea', 'EVENING');
    const events = await streamOf(ana, 'subscription { progressChanged { kind task { id } } }');
    await rename('Evening', 'Night');
    expect(await events.next()).toEqual({ data: { progressChanged: { kind: 'TASK_CHANGED', task: null } } });
    expect((await stateOf(bea))[0]).toBe('EVENING');
  });

  it('are imported as they were exported, and those of one name become one', async () => {
    const { ana, newUser, state } = await household();
    const file = (await ana.rest.get('/account/export')).body;
    file.tasks[2].section = 'mornING';
    const bea = await newUser();
    await bea.rest.post('/account/import', file);
    expect(await stateOf(bea)).toEqual(await state());
  });
});
