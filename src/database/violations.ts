/** SQLSTATEs of the constraints that replace checks in code. */
const codes = { unique: '23505', foreignKey: '23503' };

const NULL_REFUSED = '23502';

/** As the driver and MikroORM report it. */
interface Violation {
  code?: string;
  constraint?: string;
  table?: string;
  column?: string;
}

/** Whether an error is a violation of this constraint, by its code and the name of the constraint. */
export function violates(error: unknown, kind: keyof typeof codes, constraint: string): boolean {
  const { code, constraint: found } = error as Violation;
  return code === codes[kind] && found === constraint;
}

/** Whether a statement waited for a lock for longer than it was to. */
export const isLocked = (error: unknown) => (error as Violation).code === '55P03';

/** Whether a statement was undone because it had nothing to put into this column. */
export function lacks(error: unknown, table: string, column: string): boolean {
  const { code, table: inTable, column: found } = error as Violation;
  return code === NULL_REFUSED && inTable === table && found === column;
}
