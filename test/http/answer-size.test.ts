import { describe, expect, it } from 'vitest';
import { configOf } from '../support/database.js';
import { streamOf } from '../support/live.js';
import { transports } from '../support/transports.js';
import { type TestUser, world, worldOf } from '../support/world.js';

const MAXIMUM = 1_048_576;

/** A service whose largest answer is a megabyte. */
const smallWorld = () => {
  const config = configOf();
  const limits = { ...config.limits, answer: MAXIMUM };
  return world({ config: { ...config, limits } });
};

const fields = (count: number, field: string) =>
  Array.from({ length: count }, (_, index) => `f${index}: ${field}`).join(' ');

const asking = ({ token }: TestUser, query: string) => ({ query, authorization: `Bearer ${token}` });

const tooLarge = (
  message: unknown = expect.stringMatching(/^The query is too complex: its answer size of [\d,]+ /),
) => ({
  errors: [
    {
      message,
      extensions: {
        code: 'QUERY_TOO_COMPLEX',
        reason: 'TOO_COMPLEX',
        limit: 'answer size',
        maximum: MAXIMUM,
        actual: expect.toSatisfy((actual: number) => actual > MAXIMUM),
      },
    },
  ],
});

/** It takes four bytes a character. */
const LONG = '😀'.repeat(10_000);
const MOST = Math.floor(MAXIMUM / 40_010);

describe.each(transports)('An answer over %s', (_name, ask) => {
  it('is refused where texts make it too large', async () => {
    const ana = await (await smallWorld()).newUser();
    const { id } = await ana.hasTask({ description: LONG });
    const query = (count: number) => `{ task(id: ${id}) { ${fields(count, 'description')} } }`;
    expect(await ask(ana.base, asking(ana, query(MOST)))).toEqual({
      data: { task: expect.objectContaining({ [`f${MOST - 1}`]: LONG }) },
    });
    expect(await ask(ana.base, asking(ana, query(MOST + 1)))).toEqual(tooLarge());
  });

  it('that is too large says that its mutation was carried out', async () => {
    const ana = await (await smallWorld()).newUser();
    const { id } = await ana.hasTask({ description: LONG, points: 3 });
    const query = `mutation { completeTask(taskId: ${id}) { task { ${fields(30, 'description')} } } }`;
    const message = `The mutation was carried out, but its answer is over the limit of ${MAXIMUM.toLocaleString('en')} bytes`;
    expect(await ask(ana.base, asking(ana, query))).toEqual(tooLarge(message));
    expect(await ana.profile()).toMatchObject({ points: 3 });
  });
});

describe('An answer that is too large', () => {
  it('does not end a subscription', async () => {
    const ana = await (await smallWorld()).newUser();
    const [long, short] = [await ana.hasTask({ description: LONG }), await ana.hasTask()];
    const stream = await streamOf(
      ana,
      `subscription { progressChanged { task { id ${fields(30, 'description')} } } }`,
    );
    await ana.completes(long);
    expect(await stream.next()).toEqual(tooLarge());
    await ana.completes(short);
    expect(await stream.next()).toMatchObject({ data: { progressChanged: { task: { id: `${short.id}` } } } });
  });

  it('does not come from a page of a hundred of the longest tasks', async () => {
    const { ana, database } = await worldOf('ana');
    await database.orm.em.getConnection().execute(
      `insert into tasks (user_id, title, description, points, is_daily_routine, completion_count, created_at, updated_at)
       select '${ana.id}', repeat('😀', 500), repeat(chr(1), 10000), 1, false, 0, now(), now() from generate_series(1, 100)`,
    );
    const { tasks } = await ana.query('{ tasks(first: 100) { nodes { id title description } } }');
    expect(tasks.nodes).toHaveLength(100);
  });
});
