import { describe, expect, it } from 'vitest';
import { copiedData, launch } from '../support/process.js';

/** In the process of the service: each connection over TCP that it opens, in a line. Its database has a socket. */
const WATCH = `data:text/javascript,${encodeURIComponent(`
  import { subscribe } from 'node:diagnostics_channel';
  subscribe('net.client.socket', ({ socket }) => {
    socket.on('connectionAttempt', (address) => address.startsWith('/') || console.error('OUTWARDS', address));
  });
`)}`;

describe('With nothing set up', () => {
  it('the service opens no connection outwards, whatever people do', async () => {
    const { DATA_DIR, remove } = copiedData();
    const service = launch('dist/src/main.js', {
      DATA_DIR,
      HOST: '127.0.0.1',
      NODE_OPTIONS: `--import=${WATCH}`,
    });
    const { base } = await service.listening();
    let token = '';
    const asks = async (query: string) => {
      const response = await fetch(`${base}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
        body: JSON.stringify({ query }),
      });
      return response.json();
    };
    const account = 'name: "Ana", email: "ana@example.com", password: "one step"';
    token = (await asks(`mutation { signUp(input: { ${account} }) { token } }`)).data.signUp.token;
    const { data } = await asks(
      'mutation { createTask(input: { title: "Swim", reminders: [{ at: "08:00" }] }) { task { id } } }',
    );
    await asks(`mutation { completeTask(taskId: ${data.createTask.task.id}) { replayed } }`);
    await asks(
      'mutation { updateProfile(input: { email: "bea@example.com", newPassword: "two steps" }) { user { id } } }',
    );
    expect(
      (await asks('{ reminderService { pushKey ntfy apprise } signInService { mail oidc { id } } }')).data,
    ).toEqual({
      reminderService: { pushKey: null, ntfy: false, apprise: false },
      signInService: { mail: false, oidc: [] },
    });
    await service.stop();
    remove();
    expect(service.output).not.toContain('OUTWARDS');
  });
});
