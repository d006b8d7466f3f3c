import { describe, expect, it } from 'vitest';
import { insertOf, insertsOf } from '../../src/database/columns.js';
import { statement } from '../../src/database/statement.js';
import { Task } from '../../src/features/habits/task.entity.js';
import { Completion } from '../../src/features/history/completions/completion.entity.js';
import { Pause } from '../../src/features/history/pauses/pause.entity.js';

const textOf = (...[entity, row]: [abstract new () => object, object]) =>
  statement(() => insertOf(entity, { into: 'rows', userId: 'a', rows: [row] })).with({}).text;

describe('The text of an insert', () => {
  it.each([
    [Task, { title: 'Swim' }, { title: 'Swim', colour: 'RED', tags: null, challengeTemplateId: 3 }],
    [Completion, { taskId: 1 }, { taskId: 1, amount: 2, note: null }],
    [Pause, { firstDay: '2026-11-01' }, { firstDay: '2026-11-01', taskId: 1, lastDay: null }],
  ])('of a %o is the same whatever is left out', (entity, least, most) => {
    expect(textOf(entity, most)).toBe(textOf(entity, least));
  });

  it('leaves to the table what a row does not have, also where another row has it', () => {
    const rows = [{ title: 'Swim', completionCount: 1 }, { title: 'Run' }, { title: 'Read' }];
    const texts = insertsOf(Task, { into: 'rows', userId: 'a', rows }).map(
      (insert) => statement(() => insert).with({}).text,
    );
    expect(texts).toEqual([textOf(Task, { title: '', completionCount: 1 }), textOf(Task, { title: '' })]);
  });

  it('leaves to the table what is not null there by itself', () => {
    expect(textOf(Task, { title: 'Swim' })).not.toContain('completion_count');
  });
});
