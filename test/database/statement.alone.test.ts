import { type Kysely, sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { statement } from '../../src/database/statement.js';

interface Tables {
  notes: { id: number; text: string };
}

const texted = (text: string) =>
  statement(
    (_: Kysely<Tables>, { id, limit }: { id: number; limit: number }) =>
      sql<{ id: number }>`${sql.raw(text)} ${id}::int as id where ${id} > 0 limit ${limit}`,
  );

describe('The statement of a hot path', () => {
  it('sends a value once, however often it occurs', () => {
    const { text, parameters } = texted('select').with({ id: 7, limit: 1 });
    expect(text).toBe('select $1::int as id where $1 > 0 limit $2');
    expect(parameters).toEqual([7, 1]);
  });

  it('is written once, whatever its values', () => {
    let times = 0;
    const counted = statement((query: Kysely<Tables>, { id }: { id: number }) => {
      times += 1;
      return query.selectFrom('notes').select('text').where('id', '=', id);
    });
    expect(counted.with({ id: 1 }).parameters).toEqual([1]);
    expect(counted.with({ id: 2 }).parameters).toEqual([2]);
    expect(times).toBe(1);
  });

  it('has a name of its own, which is the same in every process', () => {
    const values = { id: 1, limit: 1 };
    const names = ['select', 'select', 'select all'].map((text) => texted(text).with(values).name);
    expect(names[0]).toBe(names[1]);
    expect(names[0]).not.toBe(names[2]);
    expect(names[0]).toMatch(/^steady_[\da-f]{20}$/);
  });
});
