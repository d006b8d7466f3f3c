import { describe, expect, it } from 'vitest';
import { configOf } from '../support/database.js';
import { streamOf } from '../support/live.js';
import { transports } from '../support/transports.js';
import { world, worldOf } from '../support/world.js';

const MAXIMUM = 1_048_576;

/** Somebody at a service whose largest answer is a megabyte. */
const someone = async () => {
  const config = configOf();
  return (await world({ config: { ...config, limits: { ...config.limits, answer: MAXIMUM } } })).newUser();
};

const fields = (count: number) =>
  Array.from({ length: count }, (_, index) => `f${index}: description`).join(' ');

const tooLarge = (
  message: unknown = expect.stringMatching(/^The query is too complex: its answer size of [\d,]+ /),
) => {
  const actual = expect.toSatisfy((size: number) => size > MAXIMUM);
  const limit = { limit: 'answer size', maximum: MAXIMUM, actual };
  const extensions = { code: 'QUERY_TOO_COMPLEX', reason: 'TOO_COMPLEX', ...limit };
  return { errors: [{ message, extensions }] };
};

/** It takes four bytes a character. */
const LONG = '😀'.repeat(10_000);
const MOST = Math.floor(MAXIMUM / 40_010);

describe('An answer that is too large', () => {
  it.each(transports)(
    'is refused, over %s, and says whether its mutation was carried out',
    async (_name, askBy) => {
      const ana = await someone();
      const ask = (query: string) => askBy(ana.base, { query, authorization: `Bearer ${ana.token}` });
      const { id } = await ana.hasTask({ description: LONG, points: 3 });
      const most = expect.objectContaining({ [`f${MOST - 1}`]: LONG });
      expect(await ask(`{ task(id: ${id}) { ${fields(MOST)} } }`)).toEqual({ data: { task: most } });
      expect(await ask(`{ task(id: ${id}) { ${fields(MOST + 1)} } }`)).toEqual(tooLarge());
      const message = `The mutation was carried out, but its answer is over the limit of ${MAXIMUM.toLocaleString('en')} bytes`;
      const complete = `mutation { completeTask(taskId: ${id}) { task { ${fields(30)} } } }`;
      expect(await ask(complete)).toEqual(tooLarge(message));
      expect(await ana.profile()).toMatchObject({ points: 3 });
    },
  );

  it('does not end a subscription', async () => {
    const ana = await someone();
    const [long, short] = [await ana.hasTask({ description: LONG }), await ana.hasTask()];
    const query = `subscription { progressChanged { task { id ${fields(30)} } } }`;
    const stream = await streamOf(ana, query);
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
