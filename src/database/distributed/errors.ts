import { isHeldByPooler, isPlainError, UNKNOWN } from '../outcome.js';

/** The number of a shard is appended to the names of its tables and of their constraints. */
const SHARD = /_\d+$/;

const CONSTRAINT = / constraint "([^"]+)"/;
const COLUMN = /^null value in column "([^"]+)" of relation "([^"]+)"/;

interface Told {
  code?: string;
  message?: string;
  constraint?: string;
  table?: string;
  column?: string;
}

/**
 * The error of a node as one server would tell it: the names are those of whole tables, also where only the message has
 * them, and one that leaves an outcome unknown is marked as lost.
 */
export function asOfOneServer(error: unknown, text: string): unknown {
  if (isInDoubt(error, text)) return Object.assign(error as Error, { isLost: true });
  const { message = '', ...told } = error as Told;
  const [, column = told.column, table = told.table] = COLUMN.exec(message) ?? [];
  const constraint = told.constraint ?? CONSTRAINT.exec(message)?.[1];
  return Object.assign(error as Error, {
    constraint: constraint?.replace(SHARD, ''),
    table: table?.replace(SHARD, ''),
    column,
  });
}

/**
 * One node has lost another, and says so as of any mistake: what the other has done, nobody knows. There is no code of
 * its own for a commit that went astray.
 */
const isInDoubt = (error: unknown, text: string): boolean => {
  const code = String((error as Told).code);
  const isLost = UNKNOWN.test(code) || (text === 'commit' && code === 'XX000');
  return isLost && isPlainError(error) && !isHeldByPooler(error);
};
