import { type QueryExecutorProvider, sql } from 'kysely';

/** The keys with which this service shows push services who it is. */
export const PUSH_KEYS = 'push-keys';

/** Of the database itself, and of each that is restored from it. */
export const DATABASE_ID = 'database-id';

/** Set while reminders ring nobody: `held` after a restore, `off` by the operator. */
export const HOLD = 'reminders';

export async function storedValue(query: QueryExecutorProvider, name: string): Promise<string | undefined> {
  const { rows } = await sql<{ value: string }>`select value from kept_values where name = ${name}`.execute(
    query,
  );
  return rows[0]?.value;
}

export const storeValue = (query: QueryExecutorProvider, name: string, value: string) =>
  sql`
    insert into kept_values (name, value) values (${name}, ${value})
    on conflict (name) do update set value = excluded.value`.execute(query);

export const forgetValue = (query: QueryExecutorProvider, name: string) =>
  sql`delete from kept_values where name = ${name}`.execute(query);

/** Of processes that make one at the same time, all get the same. */
export async function madeOnce(
  query: QueryExecutorProvider,
  name: string,
  make: () => string,
): Promise<string> {
  const known = await storedValue(query, name);
  if (known !== undefined) return known;
  await sql`insert into kept_values (name, value) values (${name}, ${make()}) on conflict (name) do nothing`.execute(
    query,
  );
  return (await storedValue(query, name)) ?? '';
}
