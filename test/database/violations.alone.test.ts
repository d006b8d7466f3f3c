import { expect, it } from 'vitest';
import { asOfOneServer } from '../../src/database/distributed/nodes.js';
import { lacks, violates } from '../../src/database/violations.js';

const EMAIL = 'users_email_unique';
const told = (name: string) => `duplicate key value violates unique constraint "${name}"`;

it.each([
  ['its name', { code: '23505', constraint: EMAIL }, true],
  ['the name of it on a shard', { code: '23505', constraint: `${EMAIL}_102331` }, true],
  ['the message of a node, which names it', { code: '23505', message: told(EMAIL) }, true],
  ['the code of another kind', { code: '23503', constraint: EMAIL }, false],
  ['another name', { code: '23505', constraint: 'users_pkey', message: told(EMAIL) }, false],
  ['a name that begins as it does', { code: '23505', constraint: `${EMAIL}_folded` }, false],
  ['a message that names another', { code: '23505', message: told(`${EMAIL}_folded`) }, false],
  ['no code', new Error(told(EMAIL)), false],
])('A violation of a constraint is told from others by %s', (_by, error, expected) => {
  expect(violates(asOfOneServer(error, ''), 'unique', EMAIL)).toBe(expected);
});

const missing = (column: string) =>
  `null value in column "${column}" of relation "task_completions_102008" violates not-null constraint`;

it.each([
  ['its column', { table: 'task_completions', column: 'task_id' }, true],
  ['its column on a shard', { table: 'task_completions_102008', column: 'task_id' }, true],
  ['the message of a node', { message: missing('task_id') }, true],
  ['another column', { table: 'task_completions', column: 'points' }, false],
  ['another table', { table: 'tasks', column: 'task_id' }, false],
  ['a message of another column', { message: missing('points') }, false],
  ['another code', { code: '23505', table: 'task_completions', column: 'task_id' }, false],
])('A value that is missing is told from others by %s', (_by, error, expected) => {
  expect(lacks(asOfOneServer({ code: '23502', ...error }, ''), 'task_completions', 'task_id')).toBe(expected);
});
