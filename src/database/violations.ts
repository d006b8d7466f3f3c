/** PostgreSQL's codes for the constraints that stand in for checks. */
const codes = { unique: '23505', foreignKey: '23503' };

/**
 * Whether an error says that this constraint was violated. Both drivers and MikroORM's exceptions
 * carry code and constraint; Citus adds a shard's number to the constraint's name.
 */
export function violates(error: unknown, kind: keyof typeof codes, constraint: string): boolean {
  const { code, constraint: found = '' } = error as { code?: string; constraint?: string };
  return code === codes[kind] && found.startsWith(constraint);
}
