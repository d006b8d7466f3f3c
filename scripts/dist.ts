import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { bundle } from './bundle.ts';

export type Part = 'service' | 'playground' | 'page';

export const PARTS: readonly Part[] = ['service', 'playground', 'page'];

const PLAYGROUND = 'src/graphql/playground';
const PAGE = 'src/page';

const SOURCES: Record<Part, { patterns: string[]; exclude?: string[] }> = {
  service: {
    patterns: [
      ...['src/**/*.ts', 'migrations/*.ts', 'mikro-orm.config.ts'],
      ...['tsconfig.json', 'package-lock.json'],
    ],
    exclude: [PLAYGROUND, `${PAGE}/client`, `${PAGE}/worker`],
  },
  playground: { patterns: [`${PLAYGROUND}/**/*`, 'package-lock.json'] },
  page: { patterns: [`${PAGE}/{client,worker}/**/*`, 'packages/client/src/**/*', 'package-lock.json'] },
};

const TOOLS: Record<Part, string> = {
  service: 'node_modules/typescript/bin/tsc',
  playground: 'node_modules/vite/bin/vite.js',
  page: 'node_modules/vite/bin/vite.js',
};

const ENTRY: Record<Part, string> = {
  service: 'dist/src/main.js',
  playground: 'dist/playground/index.html',
  page: 'dist/page/index.html',
};

/**
 * Records the hash of the sources that each part was built from. File times do not matter. To compare takes 22 ms; to
 * build each time, with all that can be kept from the last, three seconds on two idle cores and more on busy ones,
 * before every command too.
 */
const BUILT = 'dist/.built';

const found = (part: Part): string[] =>
  globSync(SOURCES[part].patterns, { exclude: SOURCES[part].exclude ?? [] }).sort();

/** Decides what the build makes of the sources. */
const RECIPE = ['scripts/bundle.ts', 'scripts/dist.ts'];

function hashOf(part: Part): string {
  const hash = createHash('sha256');
  for (const file of [...found(part), ...RECIPE]) {
    const contents = createHash('sha256').update(contentsOf(file)).digest('hex');
    hash.update(`${file.replaceAll(path.sep, '/')} ${contents}\n`);
  }
  return hash.digest('hex');
}

/** Empty for folders, and for files that have just been removed. */
function contentsOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    return Buffer.alloc(0);
  }
}

/** Changes whenever a source is written, replaced, added or removed. */
export const stateOfSources = (): string =>
  PARTS.flatMap(found)
    .map((file) => {
      const { mtimeMs, size, ino } = statSync(file, { throwIfNoEntry: false }) ?? {};
      return `${file} ${mtimeMs} ${size} ${ino}`;
    })
    .join('\n');

/** The parts of dist that do not match the sources. Without sources, as in an image, dist is taken as right. */
export function outdated(): readonly Part[] {
  const built = builtFrom();
  const isThere = (part: Part) => built[part] !== undefined && existsSync(ENTRY[part]);
  const hasSources = existsSync('src');
  return PARTS.filter((part) => !isThere(part) || (hasSources && built[part] !== hashOf(part)));
}

function builtFrom(): Partial<Record<Part, string>> {
  try {
    return JSON.parse(readFileSync(BUILT, 'utf8'));
  } catch {
    return {};
  }
}

interface BuildOptions {
  /** Compiles only what has changed since the last incremental build. */
  incremental?: boolean;
  /** Says that it builds, to somebody who has asked for something else. */
  isTold?: boolean;
}

/** A slow machine builds for a minute or two, in which whoever waits wants to see that it is still at it. */
const TELL_INTERVAL_MS = Number(process.env.BUILD_TELL_MS ?? 15_000);

/**
 * Builds next to dist and then moves the result there, so that nobody ever runs half of a build. Prints the reason if
 * it fails.
 */
export async function build(parts: readonly Part[], options: BuildOptions = {}): Promise<boolean> {
  if (parts.some((part) => !existsSync(TOOLS[part]))) {
    const what = existsSync(BUILT) ? 'dist was built from other sources than these' : 'Steady is not built';
    console.error(
      `${what}, and the tools that build it are not installed (npm leaves them out when NODE_ENV=production). Run: npm ci --include=dev && npm run build`,
    );
    return false;
  }
  if (options.isTold) console.error(`Building the ${parts.join(', the ')}: this takes some seconds.`);
  const begun = performance.now();
  const telling = setInterval(
    () => console.error(`Still building, for ${Math.round((performance.now() - begun) / 1_000)} s now.`),
    TELL_INTERVAL_MS,
  );
  const draft = path.resolve(`dist.${process.pid}`);
  const discard = () => rmSync(draft, { recursive: true, force: true });
  process.once('exit', discard);
  try {
    removeLeftovers();
    const built = builtFrom();
    // Hashed before the build reads the sources, so that a change during the build is noticed.
    const hashes = PARTS.map((part) => [part, parts.includes(part) ? hashOf(part) : built[part]]);
    discard();
    mkdirSync(draft);
    for (const part of PARTS) {
      if (!parts.includes(part)) keep(part, draft);
      else if (!(await make(part, draft, options))) return false;
    }
    writeFileSync(path.join(draft, '.built'), JSON.stringify(Object.fromEntries(hashes)));
    replaceDist(draft);
    return true;
  } catch (error) {
    console.error(`The build failed: ${(error as Error).message}.`);
    return false;
  } finally {
    clearInterval(telling);
    discard();
    process.off('exit', discard);
  }
}

/** What the page of the REST API shows, and the license of it. */
const SWAGGER = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png', 'LICENSE'];

const isOfPages = (file: string) =>
  PARTS.some((part) => part !== 'service' && file === path.join('dist', part));

function keep(part: Part, draft: string): void {
  if (part === 'service') cpSync('dist', draft, { recursive: true, filter: (file) => !isOfPages(file) });
  else cpSync(path.join('dist', part), path.join(draft, part), { recursive: true });
}

/** In the folder of its own name. */
const viteOf = (part: Part, folder: string, draft: string) => [
  ...['build', folder, '--outDir', path.join(draft, part)],
  ...['--emptyOutDir', '--logLevel', 'warn'],
];

async function make(part: Part, draft: string, { incremental = false }: BuildOptions): Promise<boolean> {
  const modules = path.join(draft, 'modules');
  const args = {
    service: incremental ? INCREMENTAL : ['--outDir', modules],
    playground: viteOf('playground', PLAYGROUND, draft),
    page: viteOf('page', `${PAGE}/client`, draft),
  }[part];
  const ended = await run(part, args, 'inherit');
  if (ended !== 0) {
    const left = existsSync(BUILT) ? 'dist is as it was' : 'there is no dist';
    console.error(`The build failed (${path.basename(TOOLS[part])} ended with ${ended}): ${left}.`);
    return false;
  }
  if (part === 'service') {
    if (incremental) copyCompiled(modules);
    await bundle(modules, draft);
    for (const file of SWAGGER)
      cpSync(path.join('node_modules/swagger-ui-dist', file), path.join(draft, 'swagger', file));
  }
  return true;
}

/**
 * Incremental builds compile to here, because the compiler writes only files that have changed. Each process has its
 * own, from nothing: what another one left might be half of a compilation.
 */
const COMPILED = `dist.${process.pid}.dev`;

const INCREMENTAL = [
  ...['--outDir', path.join(COMPILED, 'modules')],
  ...['--incremental', '--tsBuildInfoFile', path.join(COMPILED, 'seen')],
];

/** Compiles what is there, so that the next incremental build has less to do. */
export const compileAhead = () => run('service', INCREMENTAL, 'ignore');

function run(part: Part, args: string[], stdio: 'inherit' | 'ignore'): Promise<number | string | null> {
  const tool = spawn(process.execPath, [TOOLS[part], ...args], { stdio });
  const kill = () => void tool.kill();
  process.once('exit', kill);
  return endOf(tool).finally(() => process.off('exit', kill));
}

export const discardCompiled = () => rmSync(COMPILED, { recursive: true, force: true });

/** Without the files whose sources are gone. */
function copyCompiled(modules: string): void {
  const made = found('service').flatMap((file) =>
    file.endsWith('.ts') ? [file.replace(/ts$/, 'js'), file.replace(/ts$/, 'js.map')] : [file],
  );
  for (const file of made) {
    const compiled = path.join(COMPILED, 'modules', file);
    if (existsSync(compiled)) cpSync(compiled, path.join(modules, file)); // else no source imports it
  }
}

/** The exit code of a child process, or the signal that ended it. */
export const endOf = (child: ChildProcess): Promise<number | string | null> =>
  new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? signal));
  });

/** Two builds may run at the same time: the later one wins. */
function replaceDist(draft: string): void {
  const old = `${draft}.old`;
  for (let attempt = 1; ; attempt += 1) {
    try {
      if (existsSync('dist')) renameSync('dist', old);
      renameSync(draft, 'dist');
      return;
    } catch (error) {
      if (attempt === 10) throw error;
    } finally {
      rmSync(old, { recursive: true, force: true });
    }
  }
}

/** Removes the drafts of builds that were killed. */
function removeLeftovers(): void {
  for (const name of readdirSync('.')) {
    const pid = /^dist\.(\d+)(\.old|\.dev)?$/.exec(name)?.[1];
    if (pid && !isRunning(Number(pid))) rmSync(name, { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
