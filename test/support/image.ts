import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Copy, DockerfileParser } from 'dockerfile-ast';
import { ServiceProcess } from './process.js';

const dockerfile = DockerfileParser.parse(readFileSync('Dockerfile', 'utf8'));
const instructions = dockerfile.getInstructions();
const keywords = instructions.map((each) => each.getKeyword());

/** Those of the image itself. */
export const inImage = instructions.slice(keywords.lastIndexOf('FROM'));

const list = (keyword: string): string[] => {
  const found = inImage.find((each) => each.getKeyword() === keyword);
  return JSON.parse(/\[.*\]$/.exec(found?.getRawArgumentsContent() ?? '')?.[0] ?? '[]');
};

const settings = dockerfile.getENVs().flatMap((each) => each.getProperties());
export const variables = Object.fromEntries(settings.map((each) => [each.getName(), each.getValue() ?? '']));

export const START = list('ENTRYPOINT');
export const HEALTH = list('HEALTHCHECK');

const ACCOUNT = 65_532;

/** What the base image sets. */
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** By what this machine reaches a registry: without its certificates npm tries in vain for minutes. */
const WAY_OUT = /^(NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|(HTTPS?|NO)_PROXY|npm_config_(registry|cafile))$/i;
const wayOut = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => WAY_OUT.test(name)));

const isRoot = process.getuid?.() === 0;

/** What the Dockerfile makes, by its own steps, on libraries of this machine in place of those of the base. */
export class Image {
  private readonly folder = mkdtempSync(path.join(tmpdir(), 'steady-image-'));
  private readonly root = path.join(this.folder, 'root');

  constructor() {
    chmodSync(this.folder, 0o755);
    for (const made of ['root', 'package', 'writable']) mkdirSync(path.join(this.folder, made));
    this.carryOut(`${process.execPath} scripts/release.ts /package`);
    const installing = instructions.filter((each) => each.getKeyword() === 'RUN').at(-1);
    this.carryOut((installing?.getRawArgumentsContent() ?? '').replaceAll(/\\\n/g, ' '));
    for (const copy of inImage.filter((each) => each.getKeyword() === 'COPY')) this.copy(copy as Copy);
    for (const place of ['usr/lib', 'usr/lib64', 'etc', 'proc', 'dev', 'tmp'])
      mkdirSync(path.join(this.root, place), { recursive: true });
    writeFileSync(
      path.join(this.root, 'etc/passwd'),
      `nonroot:x:${ACCOUNT}:${ACCOUNT}:nonroot:/home/nonroot:/sbin/nologin\n`,
    );
    for (const name of ['lib', 'lib64']) symlinkSync(`usr/${name}`, path.join(this.root, name));
  }

  /** With folders of the image here. */
  private carryOut(command: string): void {
    const here = command.replaceAll(/(?<=[ ="])\/(?=image|package|writable)/g, `${this.folder}/`);
    const { PATH, HOME } = process.env;
    const TARGETARCH = process.arch === 'x64' ? 'amd64' : process.arch;
    // One more attempt and no third, before which npm waits for a minute, and for each package.
    const ofNpm = { npm_config_prefer_offline: 'true', npm_config_fetch_retries: '1' };
    const env = { PATH, HOME, TARGETARCH, ...wayOut(), ...ofNpm };
    const { status, stderr } = spawnSync('sh', ['-c', here], { env, encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
  }

  private copy(instruction: Copy): void {
    const flags = new Map(instruction.getFlags().map((flag) => [flag.getName(), flag.getValue()]));
    const [from = '', to = ''] = instruction.getArguments().map((argument) => argument.getValue());
    const source = flags.get('from') === 'installed' ? path.join(this.folder, from) : ofRuntime(from);
    const target = path.join(this.root, to);
    mkdirSync(path.dirname(target), { recursive: true });
    cpSync(source, target, { recursive: true, verbatimSymlinks: true });
    if (flags.has('chown') && isRoot) chownSync(target, ACCOUNT, ACCOUNT);
  }

  /** In bytes. */
  size(): number {
    const files = readdirSync(this.root, { recursive: true, encoding: 'utf8' });
    const ofImage = files.filter((name) => !name.startsWith('data'));
    return ofImage.reduce((sum, name) => sum + lstatSync(path.join(this.root, name)).size, 0);
  }

  files(pattern: string): string[] {
    return globSync(pattern, { cwd: this.root });
  }

  dataFile = (name: string) => path.join(this.root, 'data', name);

  /** As an engine starts it: as its account, on a root that it cannot write. */
  run(command: string[], environment: Record<string, string>): ServiceProcess {
    const { root } = this;
    const mounts = [
      `mount --bind ${root} ${root}`,
      ...['/usr/lib', '/usr/lib64', '/dev'].map(
        (from) => `[ ! -d ${from} ] || mount --rbind ${from} ${root}${from}`,
      ),
      `mount --bind ${root}/data ${root}/data`,
      `mount -t tmpfs -o mode=1777 tmpfs ${root}/tmp`,
      `mount -t proc proc ${root}/proc`,
      `mount -o remount,ro,bind ${root}`,
    ];
    const account = isRoot
      ? `chroot --userspec=${ACCOUNT}:${ACCOUNT} ${root}`
      : `unshare --user --map-user=${ACCOUNT} --map-group=${ACCOUNT} --root=${root}`;
    const script = [...mounts, `exec ${account} "$@"`].join(' && ');
    const ofUser = isRoot ? [] : ['--user', '--map-root-user'];
    const namespaces = ['--mount', '--pid', '--fork', '--kill-child', ...ofUser];
    const starting = ['/usr/bin/env', ...command];
    const env = { PATH, ...variables, ...environment };
    return new ServiceProcess(
      spawn('unshare', [...namespaces, 'sh', '-c', script, 'sh', ...starting], { env }),
    );
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const ofRuntime = (file: string) => (file === '/usr/local/bin/node' ? process.execPath : file);
