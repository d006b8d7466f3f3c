import { type Kysely, sql } from 'kysely';
import { trimmed } from '../../base/validation.js';
import { statement } from '../../database/statement.js';
import type { Owner, TaskRow, TaskTables } from './task.queries.js';
import { place } from './task-order.queries.js';

/** By which sections are compared. */
export const sectionKey = (section: string): string => trimmed(section).toLowerCase();

const isSame = (one: string, other: string) => sectionKey(one) === sectionKey(other);

/** The sections of tasks in use, in the order of their first task. A user's tasks are a bounded number. */
export const shownSections = statement(
  (_query: Kysely<TaskTables>, { userId }: Owner) => sql<{ section: string }>`
    select section from (
      select section, row_number() over (order by ${place}) as number from tasks
      where user_id = ${userId} and section is not null and archived_at is null
    ) placed
    group by section order by min(number)`,
);

/** The section as it was first written, if there is one already. Lock the account first. */
async function knownSection(
  query: Kysely<TaskTables>,
  userId: string,
  section: string,
): Promise<string | undefined> {
  const rows = await query
    .selectFrom('tasks')
    .where('user_id', '=', userId)
    .where('section', 'is not', null)
    .groupBy('section')
    .select('section')
    .execute();
  return rows.flatMap((row) => row.section ?? []).find((each) => isSame(each, section));
}

/** A section that is given to a task, as it was first written; null and undefined as they are. */
export const sectionAsWritten = async (
  query: Kysely<TaskTables>,
  userId: string,
  section: string | null | undefined,
): Promise<string | null | undefined> =>
  section ? ((await knownSection(query, userId, section)) ?? section) : section;

export const setSection = (
  query: Kysely<TaskTables>,
  { userId, id }: Pick<TaskRow, 'userId' | 'id'>,
  section: string | null,
) => query.updateTable('tasks').set({ section }).where('id', '=', id).where('user_id', '=', userId).execute();

/** Gives all tasks of one section to another, archived ones too, or to none. Answers which. Lock the account first. */
export async function renameSection(
  query: Kysely<TaskTables>,
  userId: string,
  { name, newName }: { name: string; newName: string | null },
): Promise<number[]> {
  const known = await knownSection(query, userId, name);
  if (known === undefined) return [];
  const isRespelt = newName !== null && isSame(name, newName);
  const section = isRespelt ? newName : await sectionAsWritten(query, userId, newName);
  const renamed = await query
    .updateTable('tasks')
    .set({ section: section ?? null })
    .where('user_id', '=', userId)
    .where('section', '=', known)
    .returning('id')
    .execute();
  return renamed.map(({ id }) => id).sort((one, other) => one - other);
}

/** Tasks of a file, each with its section as the first of them has it. */
export function withSectionsAsFirstWritten<Sectioned extends { section?: string | null }>(
  tasks: readonly Sectioned[],
): Sectioned[] {
  const written = new Map<string, string>();
  return tasks.map((task) => {
    if (!task.section) return task;
    const key = sectionKey(task.section);
    if (!written.has(key)) written.set(key, task.section);
    return { ...task, section: written.get(key) ?? task.section };
  });
}
