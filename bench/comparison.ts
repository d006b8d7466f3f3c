import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { startPostgres } from '../test/support/server.ts';
import { options, UsageError } from './built.ts';
import { type Contest, contests, history, type Round, STORM, type Who } from './contests.ts';
import { measureCrowds } from './crowds.ts';
import { type Generator, type Order, startGenerator } from './generator.ts';
import { header, openEmbedded, openOnServer, POSTGRES, type Stops } from './prepared.ts';
import { type Measured, report } from './report.ts';
import { runBenchmark } from './run-benchmark.ts';
import { signUp } from './service.ts';
import { costOf, type Server } from './sides.ts';
import { cpuOf, cpuOfAll, memoryOf, peakOf } from './usage.ts';

// `npm run bench -- [--only=TEXT] [--rounds=N] [--seconds=N] [--askers=N] [--json=FILE]`: the service beside a floor
// (`floor.ts`) that answers the same, and beside itself under other conditions. On Linux.

interface Bench {
  servers: Partial<Record<Round['who'], Server>>;
  generator: Generator;
  signingUp: Generator;
  database: number;
  lengths: Order['lengths'];
}

interface Numbers {
  rounds: number;
  seconds: number;
  askers: number;
}

/** In rounds: code takes a few seconds of work to become as fast as it will be, and so does a changed mix. */
const WARMING = { once: 2, each: 0.2 };

/** Whatever is asked of somebody in these contests, all at once. */
async function warmUp(bench: Bench, chosen: Contest[], numbers: Numbers): Promise<void> {
  const rounds = chosen.flatMap(({ base, subject }) => [base, subject]);
  const seconds = numbers.seconds * WARMING.once;
  for (const [who, own] of Map.groupBy(rounds, (round) => round.who)) {
    const rates = Object.assign({}, ...own.map((round) => round.rates));
    await measure(bench, { who, rates }, { ...numbers, seconds });
  }
}

/** Rounds alternate, and so does who comes first: whatever else the machine does meets both. */
async function compare(bench: Bench, { name, base, subject }: Contest, numbers: Numbers): Promise<Measured> {
  const { rounds } = numbers;
  const seconds = numbers.seconds * WARMING.each;
  const found: Measured = { name, base: [], subject: [] };
  for (const round of [base, subject]) await measure(bench, round, { ...numbers, seconds });
  for (let count = 0; count < rounds; count += 1) {
    const both = [
      { round: base, costs: found.base },
      { round: subject, costs: found.subject },
    ];
    for (const { round, costs } of count % 2 === 0 ? both : both.reverse()) {
      costs.push(await measure(bench, round, numbers));
    }
  }
  return found;
}

async function measure(bench: Bench, { who, rates, isInStorm }: Round, { seconds, askers }: Numbers) {
  const { servers, generator, database, lengths, signingUp } = bench;
  const server = servers[who];
  if (!server) throw new Error(`${who} was not started`);
  const signUps = isInStorm
    ? signingUp.carryOut({ port: server.port, seconds, rates: { 'sign-up': STORM }, connections: 200 })
    : undefined;
  const onServer = who === 'embedded' ? { generator } : { generator, database };
  const cost = await costOf(server, onServer, { seconds, askers, rates, ...(lengths && { lengths }) });
  const { failed = 0, served } = (await signUps) ?? {}; // the surplus is refused, and that is no failure
  if (failed > 0 || (served && !served['sign-up'])) throw new Error(`${failed} sign-ups failed`);
  return cost;
}

function read() {
  const names = ['only', 'rounds', 'seconds', 'askers', 'json'] as const;
  const given = { only: '', rounds: '3', seconds: '2.5', askers: '64', ...options(names) };
  const number = (name: 'rounds' | 'seconds' | 'askers', pattern: RegExp) => {
    if (pattern.test(given[name]) && Number(given[name]) > 0) return Number(given[name]);
    throw new UsageError(`--${name} must be a positive number, and is "${given[name]}"`);
  };
  const chosen = contests.filter(({ name }) => name.toLowerCase().includes(given.only.toLowerCase()));
  if (chosen.length === 0) {
    const names = contests.map(({ name }) => `\n  ${name}`);
    throw new UsageError(`--only must be a part of one of these names:${names.join('')}`);
  }
  const whole = /^\d{1,3}$/;
  const numbers = {
    rounds: number('rounds', whole),
    seconds: number('seconds', /^\d{1,3}(\.\d+)?$/),
    askers: number('askers', whole),
  };
  return { chosen, numbers, file: given.json };
}

/** In megabytes, at the end of the run. */
const memory = (servers: Bench['servers']) =>
  Object.entries(servers).map(([who, { pid }]) => ({
    who,
    now: Math.round(memoryOf(pid)),
    peak: Math.round(peakOf(pid)),
  }));

/** In cores, from now on: whatever is not of this run. All that takes part was started here. */
function watchOthers(): () => number {
  const ofOthers = () => cpuOfAll() - cpuOf(process.pid);
  const [before, startedAt] = [ofOthers(), performance.now()];
  return () => (ofOthers() - before) / ((performance.now() - startedAt) / 1_000);
}

function settledValue<Value>(settled: PromiseSettledResult<Value>): Value {
  if (settled.status === 'rejected') throw settled.reason;
  return settled.value;
}

async function benchmark(): Promise<void> {
  const { chosen, numbers, file } = read();
  const isWanted = (who: Who) => chosen.some(({ base, subject }) => base.who === who || subject.who === who);
  const directory = mkdtempSync(path.join(os.tmpdir(), 'steady-bench-'));
  const postgres = await startPostgres(POSTGRES);
  const stops: Stops = [() => rmSync(directory, { recursive: true }), () => postgres.stop()];
  try {
    await postgres.execute('create database steady');
    const url = postgres.url('steady');
    const database = new pg.Client(url);
    await database.connect();
    stops.push(() => database.end());
    console.log(await header(database));

    const environment = { DATABASE_URL: url };
    const opening = await Promise.allSettled([
      openOnServer(environment, database, { withHistory: chosen.includes(history), stops }),
      isWanted('embedded') ? openEmbedded({ DATABASE_URL: '', DATA_DIR: directory }, stops) : undefined,
    ]);
    const [onServer, embedded] = [settledValue(opening[0]), settledValue(opening[1])]; // both have come to their end
    const servers = { ...onServer.servers, ...embedded?.servers };
    const requests = { ...onServer.requests, ...embedded?.requests };
    const lengths = { ...onServer.lengths, ...embedded?.lengths };
    const generator = await startGenerator(requests);
    const signingUp = await startGenerator({ 'sign-up': [signUp()] });
    stops.push(generator.stop, signingUp.stop);
    const pid = postgres.process().pid ?? 0;
    const bench = { servers, generator, signingUp, database: pid, lengths };

    const found: Measured[] = [];
    const others = watchOthers();
    await warmUp(bench, chosen, numbers);
    for (const contest of chosen) {
      console.log(contest.name);
      found.push(await compare(bench, contest, numbers));
    }
    console.log(`Meanwhile others on this machine took ${others().toFixed(2)} cores\n`);
    report(found);
    const { service } = servers;
    if (service && chosen.length === contests.length) await measureCrowds(service.port, onServer.users);
    const held = memory(servers);
    const inMemory = held.map(({ who, now, peak }) => `${who} ${now} (peak ${peak})`);
    console.log(`\nMemory at the end, in MB: ${inMemory.join(', ')}`);
    if (file) writeFileSync(file, `${JSON.stringify({ numbers, found, memory: held }, null, 2)}\n`);
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

await runBenchmark(benchmark);
