import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { launch, run, type ServiceProcess } from '../support/process.js';
import { startProxy, type TcpProxy, type Wire } from '../support/proxy.js';
import { withServer } from '../support/with-server.js';
import { type RestClient, SECRET, signUp, TestUser } from '../support/world.js';

const SIGN_OUT = 'mutation { signOut { signedOutAt } }';
const CREATE =
  'mutation { createApiToken(input: { name: "Button", scopes: [READ] }) { token apiToken { id } } }';
const REVOKE = 'mutation ($id: ID!) { deleteApiToken(id: $id) { deletedId } }';
const DELETE = 'mutation { deleteMyAccount(password: "secret1") { deletedId } }';

describe('A token that is taken back in one process', () => {
  const server = withServer();
  let proxy: TcpProxy;
  let listeningWire: Wire;
  const folder = mkdtempSync(path.join(tmpdir(), 'steady-test-'));
  const processes: ServiceProcess[] = [];
  let here: RestClient;
  let there: RestClient;

  beforeAll(async () => {
    await server.execute('create database revoked');
    proxy = await startProxy(Number(new URL(server.url('revoked')).port));
    proxy.whenever(
      ({ type, text }) => type === 'Q' && text.startsWith('listen'),
      (wire) => {
        listeningWire = wire;
      },
    );
    const start = async (DATABASE_URL: string, name: string) => {
      // One worker each: the proxy cuts the one listening connection that it has seen last.
      const environment = {
        ...{ DATABASE_URL, DATA_DIR: path.join(folder, name), JWT_SECRET: SECRET },
        WORKERS: '1',
      };
      const process = launch('dist/src/main.js', environment);
      processes.push(process);
      return process.listening();
    };
    here = await start(server.url('revoked'), 'here');
    there = await start(proxy.through(server.url('revoked')), 'there');
  });
  afterAll(async () => {
    for (const { child } of processes) child.kill('SIGKILL');
    await proxy.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const someone = () => signUp(here);

  const statusThere = async ({ token }: TestUser) => (await there.as(token).get('/api/tasks/me')).status;
  const isOutThere = (user: TestUser) => eventually(async () => (await statusThere(user)) === 401);

  it.each<[string, (user: TestUser, id: string) => Promise<unknown>]>([
    [
      'an API token that is revoked',
      ({ rest }, id) => rest.post('/graphql', { query: REVOKE, variables: { id } }),
    ],
    ['one of an account that is deleted', ({ rest }) => rest.post('/graphql', { query: DELETE })],
    [
      'one of an account that the operator deletes',
      async ({ account }) => {
        const environment = { DATABASE_URL: server.url('revoked'), DATA_DIR: path.join(folder, 'command') };
        const command = run('operation/commands/users.js', environment, ['delete', account.email, '--yes']);
        expect([await command.exited, command.output]).toEqual([
          0,
          expect.stringContaining('Deleted the account'),
        ]);
      },
    ],
  ])('is refused in another also if it is %s', async (_which, takeBack) => {
    const ana = await someone();
    const { token, apiToken } = (await ana.query(CREATE)).createApiToken;
    const script = new TestUser(ana.base, token, ana.account);
    expect([await statusThere(ana), await statusThere(script)]).toEqual([200, 200]);
    await takeBack(ana, apiToken.id);
    await isOutThere(script);
    expect((await ana.rest.as(token).get('/api/tasks/me')).status).toBe(401);
  });

  it('is refused in another whose listening connection is cut again and again', async () => {
    const everybody: TestUser[] = [];
    for (let time = 0; time < 8; time += 1) everybody.push(await someone());
    for (const [index, ana] of everybody.entries()) {
      if (index % 3 === 0)
        await server.execute(
          `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'steady announcements'`,
        );
      await ana.query(index % 2 ? SIGN_OUT : 'mutation { signOutEverywhere { token } }');
      expect((await ana.rest.get('/api/tasks/me')).status).toBe(401);
    }
    for (const ana of everybody) await isOutThere(ana);
  });

  it('is refused in another whose listening connection says nothing, after some seconds', async () => {
    const ana = await someone();
    expect(await statusThere(ana)).toBe(200);
    await eventually(() => proxy.wires.has(listeningWire));
    listeningWire.stall();
    await ana.query(SIGN_OUT);
    await isOutThere(ana);
    listeningWire.resume();
  });

  it('is not accepted by another that cannot reach the database', async () => {
    const ana = await someone();
    expect(await statusThere(ana)).toBe(200);
    proxy.stall();
    await ana.query(SIGN_OUT);
    await eventually(async () => (await statusThere(ana)) === 503);
    await proxy.heal();
    await isOutThere(ana);
  });
});
