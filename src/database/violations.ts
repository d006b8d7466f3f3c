/** SQLSTATEs of the constraints that replace checks in code. */
const codes = { unique: '23505', foreignKey: '23503' };

/**
 * Whether an error is a violation of this constraint. The errors of both drivers and of MikroORM carry a code and a
 * constraint name. Citus appends the number of a shard to the name.
 */
export function violates(error: unknown, kind: keyof typeof codes, constraint: string): boolean {
  const { code, constraint: found = '' } = error as { code?: string; constraint?: string };
  return code === codes[kind] && found.startsWith(constraint);
}
