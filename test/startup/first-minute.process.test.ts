import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../support/eventually.js';
import {
  dataDirectory,
  endGroup,
  ServiceProcess,
  startService,
  temporaryFolder,
} from '../support/process.js';
import { needs } from '../support/tools.js';

describe('The first start', () => {
  it.each(['1', '2'])(
    'finds that its port is taken before it makes anything, with WORKERS=%s',
    async (WORKERS) => {
      const other = net.createServer().listen(0, '127.0.0.1');
      onTestFinished(() => void other.close());
      await eventually(() => other.listening);
      const PORT = `${(other.address() as AddressInfo).port}`;
      const DATA_DIR = temporaryFolder();
      const service = startService({ DATA_DIR, PORT, HOST: '127.0.0.1', WORKERS });
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
