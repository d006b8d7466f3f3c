import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { linesOf } from './backups.js';
import { run, seed, temporaryFolder } from './process.js';
import { type ServerOfTests, withServer } from './with-server.js';

let server: ServerOfTests;

/** Called once by each file, for which a server then runs. */
export function withKinds(): void {
  server = withServer();
}

const emptyUrl = () => server.newDatabase('template template0');

export const onServer = async () => ({ DATA_DIR: temporaryFolder(), DATABASE_URL: await emptyUrl() });
export const onEmbedded = async () => ({ DATA_DIR: temporaryFolder(), DATABASE_URL: undefined });

export type Environment = Awaited<ReturnType<typeof onServer | typeof onEmbedded>>;

export const kinds: [string, () => Promise<Environment>][] = [
  ['the embedded database', onEmbedded],
  ['a server', onServer],
];

export async function command(name: string, environment: object, ...args: string[]) {
  const process = run(`operation/commands/${name}.js`, { ...environment }, args);
  const code = await process.exited;
  return { code, output: process.output };
}

export async function succeeds(name: string, environment: object, ...args: string[]): Promise<string> {
  const { code, output } = await command(name, environment, ...args);
  if (code !== 0) throw new Error(`${name}: ${output}`);
  return output;
}

export function newFile(name = 'backup.jsonl.gz', contents?: Buffer): string {
  const folder = temporaryFolder();
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, name);
  if (contents) writeFileSync(file, contents);
  return file;
}

export async function backupOf(environment: object): Promise<ReturnType<typeof linesOf>> {
  const file = newFile();
  await succeeds('backup', environment, '--to', file);
  return linesOf(file);
}

export async function seeded<Place extends object>(environment: Place, users = 400): Promise<Place> {
  const place: object = environment;
  const seeding = seed({ ...place }, [`--users=${users}`, '--tasks=3', '--completions=40']);
  if ((await seeding.exited) !== 0) throw new Error(seeding.output);
  return environment;
}

export const NOTHING_WRONG = 'Every counter agrees with its history.\n';
