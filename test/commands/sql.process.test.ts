import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { signUp } from '../support/embedded.js';
import { eventually } from '../support/eventually.js';
import { dataDirectory, run, ServiceProcess, startService, temporaryFolder } from '../support/process.js';
import { needs } from '../support/tools.js';
import { withServer } from '../support/with-server.js';

const server = withServer();

async function sql(environment: Record<string, string>, ...args: string[]) {
  const command = run('operation/commands/sql.js', environment, args);
  return { code: await command.exited, output: command.output };
}

describe('steady sql', () => {
  it('carries out what it is given, beside the service and without it', async () => {
    const DATA_DIR = dataDirectory();
    const alone = await sql({ DATA_DIR }, "insert into restores values ('2026-11-21T08:30:00Z')");
    expect(alone).toEqual({ code: 0, output: 'INSERT 1\n' });
    const service = startService({ DATA_DIR });
    await signUp(await service.listening());
    const beside = await sql({ DATA_DIR }, 'select restored_at, null as nothing from restores; table users');
    expect(beside.code, beside.output).toBe(0);
    expect(beside.output).toMatch(
      /^restored_at {12}\| nothing\n-+\+-+\n2026-11-21 08:30:00\+00 \| null\n\(1 row\)\n/,
    );
    expect(beside.output).toContain('ana@example.com');
    const left = await sql({ DATA_DIR }, 'delete from restores; select 1/0');
    expect(left).toEqual({ code: 1, output: 'ERROR: division by zero\n' });
    expect((await sql({ DATA_DIR }, 'select from restores')).output).toContain('1');
  });

  it('reads statements from its input, on a server too', async () => {
    const DATABASE_URL = await server.newDatabase();
    const { PATH } = process.env;
    const child = spawn(process.execPath, ['dist/src/operation/commands/sql.js'], {
      env: { PATH, DATABASE_URL },
    });
    child.stdin.end("select 'Ümläut' as word;\nselect 2 as two;\n");
    expect(await text(child.stdout)).toBe('word\n------\nÜmläut\n(1 row)\ntwo\n---\n2\n(1 row)\n');
  });

  it('makes no database, and says what it cannot reach', async () => {
    expect(await sql({ DATA_DIR: temporaryFolder() }, 'select 1')).toEqual({
      code: 1,
      output: expect.stringMatching(/^There is no database in DATA_DIR .+\n$/),
    });
    expect(await sql({ DATABASE_URL: 'postgres://a:b@127.0.0.1:1/d' }, 'select 1')).toEqual({
      code: 1,
      output: expect.stringMatching(/^The database of DATABASE_URL cannot be used: .*ECONNREFUSED.+\n$/),
    });
  });

  it('asks on a terminal, goes on after a fault, and ends when it is told to', needs('script'), async () => {
    const DATABASE_URL = await server.newDatabase();
    const { PATH } = process.env;
    const line = `${process.execPath} dist/src/operation/commands/sql.js`;
    const child = spawn('script', ['-qec', line, '/dev/null'], { env: { PATH, DATABASE_URL, TERM: 'dumb' } });
    onTestFinished(() => void child.kill('SIGKILL'));
    const terminal = new ServiceProcess(child);
    const says = (what: string) => eventually(() => terminal.output.includes(what));
    await says('steady=>');
    child.stdin?.write('select 40 +\n');
    await says('->');
    child.stdin?.write('2 as answer;\n');
    await says('(1 row)');
    expect(terminal.output).toMatch(/answer\s+-+\s+42\s/);
    child.stdin?.write('selekt;\n');
    await says('syntax error at or near');
    child.stdin?.write('\\q\n');
    expect(await terminal.exited).toBe(0);
  });
});
