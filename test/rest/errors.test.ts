import { describe, expect, it } from 'vitest';
import { worldOf } from '../support/world.js';

describe('An answer', () => {
  it('is never stored by anyone on its way, be it a yes or a no', async () => {
    const { ana, rest } = await worldOf('ana');
    const challenge = `/api/user-challenges/${(await ana.hasAccepted()).id}`;
    const task = await ana.hasTask();
    for (const client of [ana.rest, rest]) {
      const answers = [
        await client.post('/api/auth/signup', { name: 'Bea', email: `new-${ana.id}@x`, password: 'secret1' }),
        await client.post('/api/auth/login', ana.account),
        await client.get('/api/user/profile'),
        await client.put('/api/user/profile', {}),
        await client.post('/api/tasks', { title: 'Swim' }),
        await client.get('/api/tasks/me'),
        await client.put(`/api/tasks/${task.id}`, {}),
        await client.post('/api/task-completions', { task_id: task.id }),
        await client.get('/api/challenge-templates'),
        await client.get('/api/challenge-templates/1'),
        await client.get('/api/user-challenges'),
        await client.get('/api/user-challenges/active'),
        await client.put(`${challenge}/notes`, { notes: 'Well' }),
        await client.put(`${challenge}/complete`),
        await client.put(`${challenge}/abandon`),
        await client.post('/api/user-challenges/accept', { templateId: 1 }),
      ];
      for (const { headers, status, text } of answers) {
        expect(headers.get('cache-control'), `${status} ${text}`).toBe('no-store');
      }
    }
  });

  it('is JSON in UTF-8 whatever the Accept header says, and whatever the query', async () => {
    const { ana } = await worldOf('ana');
    const answer = await ana.rest.get('/api/tasks/me?%ff&a[b]=1&__proto__[c]=1&limit=0', {
      accept: 'text/html',
    });
    expect(answer).toMatchObject({ status: 200, body: [] });
  });
});
