/** SQLSTATEs of the constraints that replace checks in code. */
const codes = { unique: '23505', foreignKey: '23503' };

const NULL_REFUSED = '23502';

/**
 * Whether an error is a violation of this constraint. The errors of both drivers and of MikroORM carry a code and a
 * constraint name. Citus appends the number of a shard to the name.
 */
export function violates(error: unknown, kind: keyof typeof codes, constraint: string): boolean {
  const { code, constraint: found = '' } = error as { code?: string; constraint?: string };
  return code === codes[kind] && found.startsWith(constraint);
}

/** Whether a statement was undone because it had nothing to put into this column. */
export function lacks(error: unknown, table: string, column: string): boolean {
  const { code, table: inTable = '', column: found } = error as Record<string, string | undefined>;
  return code === NULL_REFUSED && inTable.startsWith(table) && found === column;
}
