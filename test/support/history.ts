import { sql } from 'kysely';
import { Verification } from '../../src/completions/verification.js';
import type { Database } from '../../src/database/database.js';
import { Random } from '../chaos/random.js';
import type { DiskLog } from './disk-log.js';
import { TestClock, type TestUser, type World } from './world.js';

/** A write of somebody. Positions are those of the log of the disk. */
interface Write {
  what: 'completion' | 'undo' | 'sign-up' | 'table' | 'job';
  /** The key of a completion, an e-mail, the name of a table. */
  name: string;
  /** The clock of the service. */
  at: string;
  begunAt: number;
  /** Infinite if it was never acknowledged. */
  acknowledgedAt: number;
}

/** What a service did, and when it said so. */
export class History {
  readonly writes: Write[] = [];
  private readonly undoable: { name: string; id: number; user: TestUser }[] = [];
  private readonly people: { user: TestUser; task: { id: number } }[] = [];
  private readonly random: Random;

  constructor(
    private readonly world: World,
    private readonly log: DiskLog,
    seed: number,
  ) {
    this.random = new Random(seed);
  }

  /** Does that many things, most of them one after the other, so that the order is known to the last operation. */
  async go(times: number): Promise<void> {
    await this.signUp();
    for (let time = 0; time < times; time += 1) {
      if (this.random.chance(0.1)) this.world.clock.advance({ hours: this.random.whole(1, 40) });
      const together = this.random.chance(0.2) ? this.random.whole(2, 6) : 1;
      await Promise.all(Array.from({ length: together }, () => this.complete()));
      const next = this.random.next();
      if (next < 0.2) await this.undo();
      else if (next < 0.3) await this.signUp();
      else if (next < 0.4) await this.runJob();
      else if (next < 0.5) await this.execute('checkpoint');
      else if (next < 0.6) await this.execute('select pg_switch_wal()');
      else if (next < 0.65) await this.makeTable();
    }
  }

  private async write<T>(what: Write['what'], name: string, work: () => Promise<T>): Promise<T> {
    const at = this.world.clock.now().toISOString();
    const write: Write = { what, name, at, begunAt: this.log.position, acknowledgedAt: Infinity };
    this.writes.push(write);
    const done = await work();
    write.acknowledgedAt = this.log.position;
    return done;
  }

  private async complete(): Promise<void> {
    const { user, task } = this.random.pick(this.people);
    const name = `completion-${this.writes.length}`;
    const renewed = this.world.renewed(user);
    const { status, body } = await this.write('completion', name, () =>
      renewed.completes(task, { 'Idempotency-Key': name }),
    );
    if (status !== 201) throw new Error(`A completion was answered ${status}`);
    this.undoable.push({ name, id: body.id, user });
  }

  private async undo(): Promise<void> {
    const last = this.undoable.pop();
    const made = this.writes.find(({ name }) => name === last?.name);
    if (!last || made?.at.slice(0, 10) !== this.world.clock.now().toISOString().slice(0, 10)) return;
    const undo = 'mutation ($id: ID!) { undoCompletion(id: $id) { user { points } } }';
    await this.write('undo', last.name, () => this.world.renewed(last.user).query(undo, { id: last.id }));
  }

  private async signUp(): Promise<void> {
    const email = `${this.writes.length}@example.com`;
    const user = await this.write('sign-up', email, () => this.world.newUser({ email }));
    this.people.push({ user, task: await user.hasTask() });
  }

  private async runJob(): Promise<void> {
    await this.write('job', '', () => this.world.job.run());
  }

  /** New files, as migrations make them. */
  private async makeTable(): Promise<void> {
    const name = `extra_${this.writes.length}`;
    await this.write('table', name, () =>
      this.execute(`create table ${name} as select i from generate_series(1, 500) i`),
    );
  }

  private async execute(text: string): Promise<void> {
    await sql.raw(text).execute(this.world.database.query());
  }
}

/** What is not as it was promised in a database after a cut there; nothing, if all is well. */
export async function brokenPromises(
  database: Database,
  writes: readonly Write[],
  cutAt: number,
): Promise<string[]> {
  const begun = writes.filter(({ begunAt }) => begunAt < cutAt);
  const found = await foundIn(database);
  const broken = begun.flatMap((write) => {
    const isAcknowledged = write.acknowledgedAt <= cutAt;
    if (write.what === 'job') return [];
    if (write.what === 'undo')
      return isAcknowledged && found.has(write.name) ? [`${write.name} is back`] : [];
    const isUndone = begun.some(({ what, name }) => what === 'undo' && name === write.name);
    return isAcknowledged && !isUndone && !found.has(write.name) ? [`${write.name} is lost`] : [];
  });
  for (const [name, count] of found) {
    if (count !== 1) broken.push(`${name} is there ${count} times`);
    if (!begun.some((write) => write.name === name)) broken.push(`${name} was never written`);
  }
  const last = begun.at(-1);
  const clock = new TestClock();
  if (last) clock.set(last.at);
  const verification = new Verification(database, clock);
  for await (const drift of verification.run()) broken.push(`drift: ${JSON.stringify(drift)}`);
  const isJobDone = last?.what === 'job' && last.acknowledgedAt <= cutAt;
  if (isJobDone && verification.due > 0) broken.push('the streak job is lost');
  await sql`checkpoint`.execute(database.query());
  return broken;
}

/** How often each thing is there. A half one counts as half. */
async function foundIn(database: Database): Promise<Map<string, number>> {
  const { rows } = await sql<{ name: string; count: number }>`
    select idempotency_key as name, count(*)::int as count from task_completions group by 1
    union all
    select email, (count(*) * (1 + count(user_id)) / 2.0)::float8
    from users left join user_progress on user_id = id group by 1
  `.execute(database.query());
  const found = new Map(rows.map(({ name, count }) => [name, count]));
  const tables = await sql<{ name: string }>`
    select tablename as name from pg_tables where tablename like 'extra%'`.execute(database.query());
  for (const { name } of tables.rows) {
    const counted = await sql<{
      count: number;
    }>`select count(*)::int as count from ${sql.table(name)}`.execute(database.query());
    found.set(name, (counted.rows[0]?.count ?? 0) / 500);
  }
  return found;
}
