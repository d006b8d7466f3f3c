import { describe, expect, it } from 'vitest';
import { inhabitant } from '../support/inhabitant.js';
import { plainRequest, restOperations, send } from '../support/operations.js';
import { world, worldOf } from '../support/world.js';

describe('An answer', () => {
  it('is never stored by anyone on its way, be it a yes or a no', async () => {
    const here = await world();
    const { user, asker } = await inhabitant(here, await here.newUser(), 1);
    for (const client of [user.rest, here.rest])
      for (const operation of restOperations()) {
        const { headers, status, text } = await send(client, plainRequest(operation, asker));
        expect(headers.get('cache-control'), `${operation.name} ${status} ${text}`).toBe('no-store');
      }
  });

  it('is JSON in UTF-8 whatever the Accept header says, and whatever the query', async () => {
    const { ana } = await worldOf('ana');
    const answer = await ana.rest.get('/api/tasks/me?%ff&a[b]=1&__proto__[c]=1&limit=0', {
      accept: 'text/html',
    });
    expect(answer).toMatchObject({ status: 200, body: [] });
  });

  it('is that to the method that was sent, whatever else names another', async () => {
    const { ana } = await worldOf('ana');
    const override = { 'x-http-method-override': 'PUT', 'x-http-method': 'PUT', 'x-method-override': 'PUT' };
    const body = { name: 'Changed', _method: 'PUT' };
    expect((await ana.rest.post('/api/user/profile?_method=PUT', body, override)).status).toBe(405);
  });
});
