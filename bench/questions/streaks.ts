import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '../../src/database/database.js';
import type { PostgresServer } from '../../test/support/server.ts';
import { question } from '../bench.ts';
import { dayOf, model, openServer, readConfig, StreakJob, systemClock, unhurried } from '../built.ts';
import { table } from '../figures.ts';
import { underLoad, type Waits } from '../load.ts';
import { seed } from '../service.ts';

// How long does the streak job take with three users in ten to correct, beside a bare update of the same rows, and how
// long do completions wait meanwhile?

const SETTINGS = { shared_buffers: '1GB', max_parallel_workers_per_gather: '0' };

/** `admin` has no time limits, `service` has those of requests. */
interface Copy {
  admin: Database;
  service: Database;
}

interface Figure {
  milliseconds: number;
  rows?: number;
  waits?: Waits;
}

const isBroken = () => sql`current_streak > 0 and last_active_on < ${dayOf(systemClock.now())}::date - 1`;

async function timed(work: () => Promise<number | undefined>): Promise<Figure> {
  const startedAt = performance.now();
  const rows = await work();
  return { milliseconds: performance.now() - startedAt, ...(rows !== undefined && { rows }) };
}

const nothing = () => timed(() => sleep(10_000, undefined));

const bareUpdate = ({ admin }: Copy) =>
  timed(async () => {
    const update = sql`update user_progress set current_streak = 0 where ${isBroken()}`;
    return Number((await update.execute(admin.query())).numAffectedRows);
  });

const job = ({ service }: Copy) =>
  timed(async () => (await new StreakJob(service, systemClock).run()).corrected);

/** Each measurement has a copy of the database, equal file by file and with no dirty pages left to write. */
async function onCopy(server: PostgresServer, measure: (copy: Copy) => Promise<Figure>): Promise<Figure> {
  await server.execute('create database copy template steady strategy file_copy');
  const url = server.url('copy');
  const admin = await openServer(model, { url, poolSize: 1, patience: unhurried });
  const { patience } = readConfig({}).timeouts;
  const service = await openServer(model, { url, poolSize: 10, patience });
  try {
    await sql`select count(*) from user_progress`.execute(admin.query()); // loads the table into memory
    await sql`checkpoint`.execute(admin.query());
    return await measure({ admin, service });
  } finally {
    await service.close();
    await admin.close();
    await server.execute('drop database copy');
  }
}

const shown = (value: number) => value.toFixed(value < 10 ? 1 : 0);
const listed = (values: number[]) => values.map(shown).join(' ');
const least = (figures: Figure[] = []) => Math.min(...figures.map(({ milliseconds }) => milliseconds));

/** The time is that of the fastest round, which was disturbed least. All other columns show every round. */
function row(what: string, figures: Figure[], bare: number): string[] {
  const time = least(figures);
  const waits = figures.flatMap((figure) => figure.waits ?? []);
  return [
    what,
    shown(time),
    listed(figures.map(({ milliseconds }) => milliseconds)),
    figures[0]?.rows ? shown(time / bare) : '',
    listed(waits.map(({ p50 }) => p50)),
    listed(waits.map(({ p99 }) => p99)),
    listed(waits.map(({ longest }) => longest)),
    waits.map(({ failed }) => failed).join(' '),
  ];
}

const HEAD = ['', 'ms', 'each round', 'x bare', 'wait p50', 'wait p99', 'wait max', 'failed'];

export default question({ users: 1_000_000, rate: 400, rounds: 3 }, async (bench, options) => {
  const { users, rate, rounds } = options;
  const whileCompleting = (measure: (copy: Copy) => Promise<Figure>) => async (copy: Copy) => {
    const [figure, waits] = await underLoad(copy.service, rate, () => measure(copy));
    return { ...figure, waits };
  };
  const measurements = {
    'bare update': bareUpdate,
    job,
    'completions alone': whileCompleting(nothing),
    'job + completions': whileCompleting(job),
    'bare update + completions': whileCompleting(bareUpdate),
  };
  const server = await bench.postgres(SETTINGS);
  const seeding = [`--users=${users}`, '--tasks=1', '--completions=3', '--broken=30'];
  await seed(seeding, { DATABASE_URL: server.url('steady') });
  const figures: Record<string, Figure[]> = {};
  for (let round = 1; round <= rounds; round += 1) {
    for (const [what, measure] of Object.entries(measurements)) {
      const figure = await onCopy(server, measure);
      console.log(`Round ${round}, ${what}: ${shown(figure.milliseconds)} ms`);
      figures[what] = [...(figures[what] ?? []), figure];
    }
  }
  const bare = least(figures['bare update']);
  console.log(
    `\n${table(
      HEAD,
      Object.entries(figures).map(([what, found]) => row(what, found, bare)),
    )}`,
  );
});
