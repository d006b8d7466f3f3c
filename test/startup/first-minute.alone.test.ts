import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import express from 'express';
import { describe, expect, it, onTestFinished } from 'vitest';
import { page as servedPage } from '../../src/page/page.js';
import { sharedBrowser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import {
  dataDirectory,
  endGroup,
  ServiceProcess,
  startService,
  temporaryFolder,
} from '../support/process.js';
import { needs } from '../support/tools.js';

async function takenPort(): Promise<string> {
  const other = net.createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await eventually(() => other.listening);
  return `${(other.address() as AddressInfo).port}`;
}

describe('The first start', () => {
  it.each(['1', '2'])(
    'finds that its port is taken before it makes anything, with WORKERS=%s',
    async (WORKERS) => {
      const [DATA_DIR, PORT] = [temporaryFolder(), await takenPort()];
      const several = { DATABASE_URL: 'postgres://127.0.0.1:1/never', WORKERS };
      const service = startService({ DATA_DIR, PORT, HOST: '127.0.0.1', ...(WORKERS === '2' && several) });
      expect(await service.exited).toBe(1);
      expect(service.output).toMatch(
        /The port is taken \(.*\)\. Choose another with PORT\. If that is this Steady/,
      );
      expect(existsSync(DATA_DIR)).toBe(false);
    },
  );

  it('ends, on a terminal, with the address on a line of its own', needs('script'), async () => {
    const command = `"${process.execPath}" dist/src/main.js`;
    const env = { ...process.env, PORT: '0', DATA_DIR: dataDirectory(), NODE_ENV: 'development' };
    const child = spawn('script', ['-qefc', command, '/dev/null'], { env, detached: true });
    onTestFinished(() => endGroup(child));
    const terminal = new ServiceProcess(child);
    const { base } = await terminal.listening();
    await eventually(() => terminal.output.trim().endsWith(`\n${base}/`));
  });
});

describe('The page of a service', needs('Chromium'), () => {
  it.each([
    ['open', 'A little, every day', 1],
    ['closed', 'Welcome back', 0],
  ] as const)('whose sign-up is %s opens with: %s', async (signUp, heading, ways) => {
    const server = express()
      .use(servedPage({ publicPath: '', signUp, backdateHours: 168 }))
      .listen(0, '127.0.0.1');
    const page = await (await sharedBrowser()).newPage();
    onTestFinished(async () => {
      await page.close();
      server.close();
    });
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await page.getByRole('heading', { name: heading }).waitFor();
    expect(await page.getByRole('button', { name: 'Log in instead' }).count()).toBe(ways);
    expect(await page.getByRole('button', { name: 'Create an account' }).count()).toBe(0);
  });
});
