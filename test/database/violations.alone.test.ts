import { describe, expect, it } from 'vitest';
import { asOfOneServer } from '../../src/database/distributed/nodes.js';
import { lacks, violates } from '../../src/database/violations.js';

const EMAIL = 'users_email_unique';
const told = (name: string) => `duplicate key value violates unique constraint "${name}"`;

describe('A violation of a constraint', () => {
  it.each([
    ['its name', { code: '23505', constraint: EMAIL }, true],
    ['the name of it on a shard', { code: '23505', constraint: `${EMAIL}_102331` }, true],
    ['the message of a node, which names it', { code: '23505', message: told(EMAIL) }, true],
    ['the code of another kind', { code: '23503', constraint: EMAIL }, false],
    ['another name', { code: '23505', constraint: 'users_pkey' }, false],
    ['a name that begins as it does', { code: '23505', constraint: `${EMAIL}_folded` }, false],
    [
      'another name, and its own in the message',
      { code: '23505', constraint: 'users_pkey', message: told(EMAIL) },
      false,
    ],
    ['a message that names another', { code: '23505', message: told(`${EMAIL}_folded`) }, false],
    ['no code', new Error(told(EMAIL)), false],
  ])('is told from others by %s', (_by, error, expected) => {
    expect(violates(asOfOneServer(error, ''), 'unique', EMAIL)).toBe(expected);
  });
});

const missing = (table: string, column: string) =>
  `null value in column "${column}" of relation "${table}" violates not-null constraint`;

describe('A value that is missing', () => {
  const code = '23502';
  it.each([
    ['its column', { code, table: 'task_completions', column: 'task_id' }, true],
    ['its column on a shard', { code, table: 'task_completions_102008', column: 'task_id' }, true],
    ['the message of a node', { code, message: missing('task_completions_102008', 'task_id') }, true],
    ['another column', { code, table: 'task_completions', column: 'points' }, false],
    ['another table', { code, table: 'tasks', column: 'task_id' }, false],
    ['a message of another column', { code, message: missing('task_completions_102008', 'points') }, false],
    ['another code', { code: '23505', table: 'task_completions', column: 'task_id' }, false],
  ])('is told from others by %s', (_by, error, expected) => {
    expect(lacks(asOfOneServer(error, ''), 'task_completions', 'task_id')).toBe(expected);
  });
});
