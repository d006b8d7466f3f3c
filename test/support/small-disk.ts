import { spawn } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inject, onTestFinished } from 'vitest';
import { withLimits } from './commands.js';
import { ServiceProcess } from './process.js';
import { apart } from './tools.js';

const MEGABYTE = 2 ** 20;

/** For the file systems of another process. */
const entering = process.getuid?.() === 0 ? ['--mount'] : ['--mount', '--user', '--preserve-credentials'];

const mount = (megabytes: number, place: string) => `mount -t tmpfs -o size=${megabytes}m tmpfs ${place}`;

/** A file system small enough to be filled, which only the processes that are started on it see. */
export class SmallDisk {
  private constructor(
    /** As the processes on it see it. */
    readonly place: string,
    private readonly holder: number,
  ) {}

  static async make(megabytes: number): Promise<SmallDisk> {
    const place = mkdtempSync(path.join(tmpdir(), 'steady-disk-'));
    const script = `${mount(megabytes, place)} && echo mounted && exec sleep 600`;
    const holder = spawn('unshare', apart(script));
    onTestFinished(() => {
      holder.kill('SIGKILL');
      rmdirSync(place);
    });
    await new Promise((resolve) => holder.stdout.once('data', resolve));
    return new SmallDisk(place, holder.pid as number);
  }

  /** A file on it, as this process sees it. */
  file(...names: string[]): string {
    return path.join('/proc', `${this.holder}`, 'root', this.place, ...names);
  }

  /** Puts a data directory with an empty database on it. */
  prepare(): void {
    mkdirSync(this.file('data'));
    cpSync(inject('dataDirectory'), this.file('data'), { recursive: true });
  }

  /** Leaves no more than so many megabytes. */
  fill(left = 0): void {
    const { bavail, bsize } = statfsSync(this.file());
    appendFileSync(this.file('filler'), Buffer.alloc(bavail * bsize - left * MEGABYTE));
  }

  empty(): void {
    rmSync(this.file('filler'));
  }

  /** Node with these arguments, on this disk. */
  run = (...given: string[]) => this.runWith({}, ...given);
  startService = (environment = {}) => this.runWith(environment, 'dist/src/main.js');

  runWith(environment: Record<string, string | undefined>, ...given: string[]): ServiceProcess {
    const { PATH, HOME } = process.env;
    const DATA_DIR = path.join(this.place, 'data');
    const env = { PATH, HOME, PORT: '0', ...withLimits(), DATA_DIR, ...environment };
    const here = ['sh', '-c', 'cd "$0" && exec "$@"', process.cwd(), process.execPath];
    const child = spawn('nsenter', [...entering, '--target', `${this.holder}`, ...here, ...given], { env });
    onTestFinished(() => void child.kill('SIGKILL'));
    return new ServiceProcess(child);
  }
}
