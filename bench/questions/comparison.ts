import { writeFileSync } from 'node:fs';
import { question, UsageError } from '../bench.ts';
import { type Contest, contests, type Round, STORM, type Who } from '../contests.ts';
import { costOf } from '../cost.ts';
import { measureCrowds } from '../crowds.ts';
import type { Generator, Order } from '../generator.ts';
import { openEmbedded, openOnServer } from '../prepared.ts';
import { type Measured, report } from '../report.ts';
import { type Server, signUp } from '../service.ts';
import { memoryOf, peakOf } from '../usage.ts';

// What does a request cost beside a baseline (`baseline.ts`) that answers the same, and beside itself under other
// conditions?

interface Sides {
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
async function warmUp(sides: Sides, chosen: Contest[], numbers: Numbers): Promise<void> {
  const rounds = chosen.flatMap(({ base, subject }) => [base, subject]);
  const seconds = numbers.seconds * WARMING.once;
  for (const [who, own] of Map.groupBy(rounds, (round) => round.who)) {
    const rates = Object.assign({}, ...own.map((round) => round.rates));
    await measure(sides, { who, rates }, { ...numbers, seconds });
  }
}

/** Rounds alternate, and so does who comes first: whatever else the machine does meets both. */
async function compare(sides: Sides, { name, base, subject }: Contest, numbers: Numbers): Promise<Measured> {
  const { rounds } = numbers;
  const seconds = numbers.seconds * WARMING.each;
  const found: Measured = { name, base: [], subject: [] };
  for (const round of [base, subject]) await measure(sides, round, { ...numbers, seconds });
  for (let count = 0; count < rounds; count += 1) {
    const both = [
      { round: base, costs: found.base },
      { round: subject, costs: found.subject },
    ];
    for (const { round, costs } of count % 2 === 0 ? both : both.reverse()) {
      costs.push(await measure(sides, round, numbers));
    }
  }
  return found;
}

async function measure(sides: Sides, { who, rates, isInStorm }: Round, { seconds, askers }: Numbers) {
  const { servers, generator, database, lengths, signingUp } = sides;
  const server = servers[who];
  if (!server) throw new Error(`${who} was not started`);
  const signUps = isInStorm
    ? signingUp.carryOut({ port: server.port, seconds, rates: { 'sign-up': STORM } })
    : undefined;
  const onServer = who === 'embedded' ? { generator } : { generator, database };
  const cost = await costOf(server, onServer, { seconds, askers, rates, ...(lengths && { lengths }) });
  const { failed = 0, served } = (await signUps) ?? {}; // the surplus is refused, and that is no failure
  if (failed > 0 || (served && !served['sign-up'])) throw new Error(`${failed} sign-ups failed`);
  return cost;
}

function contestsNamed(part: string): Contest[] {
  const chosen = contests.filter(({ name }) => name.toLowerCase().includes(part.toLowerCase()));
  if (chosen.length > 0) return chosen;
  throw new UsageError(
    `--only is no part of these names:${contests.map(({ name }) => `\n  ${name}`).join('')}`,
  );
}

/** In megabytes, at the end of the run. */
const memory = (servers: Sides['servers']) =>
  Object.entries(servers).map(([who, { pid }]) => ({
    who,
    now: Math.round(memoryOf(pid)),
    peak: Math.round(peakOf(pid)),
  }));

const options = { only: '', rounds: 3, seconds: 2.5, askers: 64, json: '' };

export default question(options, async (bench, { only, json, ...numbers }) => {
  const chosen = contestsNamed(only);
  const isWanted = (who: Who) => chosen.some(({ base, subject }) => base.who === who || subject.who === who);
  const postgres = await bench.postgres();
  const url = postgres.url('steady');
  const database = await bench.client(url);
  const { rows } = await database.query('show server_version');
  console.log(`PostgreSQL ${rows[0].server_version}`);

  const [onServer, embedded] = await Promise.all([
    openOnServer(bench, { DATABASE_URL: url }, database),
    isWanted('embedded') ? openEmbedded(bench, { DATABASE_URL: '', DATA_DIR: bench.directory() }) : undefined,
  ]);
  const servers = { ...onServer.servers, ...embedded?.servers };
  const sides: Sides = {
    servers,
    generator: await bench.generator({ ...onServer.requests, ...embedded?.requests }),
    signingUp: await bench.generator({ 'sign-up': [signUp()] }),
    database: postgres.process().pid ?? 0,
    lengths: { ...onServer.lengths, ...embedded?.lengths },
  };
  const found: Measured[] = [];
  await warmUp(sides, chosen, numbers);
  for (const contest of chosen) {
    console.log(contest.name);
    found.push(await compare(sides, contest, numbers));
  }
  console.log();
  report(found);
  const { service } = servers;
  if (service && chosen.length === contests.length) await measureCrowds(service.port, onServer.users);
  const held = memory(servers);
  const inMemory = held.map(({ who, now, peak }) => `${who} ${now} (peak ${peak})`);
  console.log(`\nMemory at the end, in MB: ${inMemory.join(', ')}`);
  if (json) writeFileSync(json, `${JSON.stringify({ numbers, found, memory: held }, null, 2)}\n`);
});
