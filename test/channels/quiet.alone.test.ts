import { describe, expect, it } from 'vitest';
import { copiedData, launch } from '../support/process.js';

/**
 * In each thread of the service: what it asks the system for, below all libraries. Connections over TCP, names looked
 * up by either way, packets over UDP, each in a line. Its database has a socket of its own kind.
 */
const WATCH = `data:text/javascript,${encodeURIComponent(`
  import { createHook } from 'node:async_hooks';
  import { writeSync } from 'node:fs';
  const outwards = ['TCPCONNECTWRAP', 'GETADDRINFOREQWRAP', 'GETNAMEINFOREQWRAP', 'QUERYWRAP', 'UDPWRAP', 'UDPSENDWRAP'];
  createHook({ init: (_id, type) => void (outwards.includes(type) && writeSync(2, 'OUTWARDS ' + type + '\\n')) }).enable();
`)}`;

describe('With nothing set up', () => {
  it('the service opens no connection outwards and asks for no name: as it starts, rings, counts streaks and answers', async () => {
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
