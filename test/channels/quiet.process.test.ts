import { describe, expect, it } from 'vitest';
import { dataDirectory, startService } from '../support/process.js';

/**
 * In each thread of the service: what it asks the system for, below all libraries. Connections over TCP, names looked
 * up by either way, packets over UDP, each in a line; and that it listens, by which one sees that this is watched. Its
 * database has a socket of its own kind.
 */
const WATCH = `data:text/javascript,${encodeURIComponent(`
  import { createHook } from 'node:async_hooks';
  import { writeSync } from 'node:fs';
  const watched = ['TCPSERVERWRAP', 'TCPCONNECTWRAP', 'GETADDRINFOREQWRAP', 'GETNAMEINFOREQWRAP', 'QUERYWRAP', 'UDPWRAP', 'UDPSENDWRAP'];
  createHook({ init: (_id, type) => void (watched.includes(type) && writeSync(2, 'ASKED FOR ' + type + '\\n')) }).enable();
`)}`;

describe('With nothing set up', () => {
  it('the service opens no connection outwards and asks for no name, whatever people do', async () => {
    const service = startService({ DATA_DIR: dataDirectory(), NODE_OPTIONS: `--import=${WATCH}` });
    let rest = await service.listening();
    const asks = async (query: string) => (await rest.ask(query)).data;
    const account = 'name: "Ana", email: "ana@example.com", password: "one step"';
    rest = rest.as((await asks(`mutation { signUp(input: { ${account} }) { token } }`)).signUp.token);
    const { createTask } = await asks(
      'mutation { createTask(input: { title: "Swim", reminders: [{ at: "08:00" }] }) { task { id } } }',
    );
    await asks(`mutation { completeTask(taskId: ${createTask.task.id}) { isReplayed } }`);
    for (const change of [
      'changeEmail(input: { currentPassword: "one step", newEmail: "bea@example.com" })',
      'changePassword(input: { currentPassword: "one step", newPassword: "two steps" })',
    ])
      expect(await asks(`mutation { changed: ${change} { user { email } } }`)).toEqual({
        changed: { user: { email: 'bea@example.com' } },
      });
    expect(
      await asks('{ reminderService { kinds pushKey } signInService { sendsMail providers { id } } }'),
    ).toEqual({
      reminderService: { kinds: [], pushKey: null },
      signInService: { sendsMail: false, providers: [] },
    });
    await service.stop();
    expect(new Set(service.output.match(/ASKED FOR \w+/g))).toEqual(new Set(['ASKED FOR TCPSERVERWRAP']));
  });
});
