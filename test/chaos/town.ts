import pg from 'pg';
import { systemClock } from '../../src/base/clock.js';
import type { Connections } from '../../src/database/backend.js';
import { Tokens } from '../../src/features/account/tokens.js';
import { startPgBouncer } from '../support/pgbouncer.js';
import { freePort } from '../support/port.js';
import { launch, type ServiceProcess } from '../support/process.js';
import { startProxy, type TcpProxy } from '../support/proxy.js';
import type { ServerOfTests } from '../support/with-server.js';
import { SECRET } from '../support/world.js';

/** In milliseconds: whoever starts for longer, against a database that never answers, is started again. */
const START_LIMIT = 20_000;

/** Lines of what was done when, for whoever has to understand a failure. */
export class Diary {
  readonly lines: string[] = [];
  private readonly since = performance.now();

  write(line: string): void {
    this.lines.push(`${((performance.now() - this.since) / 1_000).toFixed(2)} s ${line}`);
  }
}

/** A process of the service that is always started again, on the same port. */
export class Service {
  process: ServiceProcess | undefined;
  /** Processes that ended though nobody ended them. */
  readonly deaths: string[] = [];

  constructor(
    readonly name: string,
    readonly port: number,
    readonly proxy: TcpProxy,
    private readonly environment: Record<string, string>,
    private readonly diary: Diary,
  ) {}

  get base(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Until it listens, however often that takes: a start may fail while the database is away. */
  async start(): Promise<void> {
    for (;;) {
      const process = launch('dist/src/main.js', { ...this.environment, PORT: String(this.port) });
      const late = setTimeout(() => process.stop('SIGKILL'), START_LIMIT);
      try {
        await process.listening();
        this.process = process;
        this.diary.write(`${this.name} listens`);
        process.exited.then((code) => {
          if (this.process === process)
            this.deaths.push(`${this.name}, ${code}: ${process.output.slice(-2_000)}`);
        });
        return;
      } catch {
        this.diary.write(`${this.name} could not start: ${process.output.split('\n')[0]}`);
        await new Promise((resolve) => setTimeout(resolve, 200));
      } finally {
        clearTimeout(late);
      }
    }
  }

  async end(signal: NodeJS.Signals): Promise<number | null> {
    const { process } = this;
    this.process = undefined;
    return process ? process.stop(signal) : null;
  }

  /** Ready, with every connection of its pool back in it. */
  async isWhole(): Promise<boolean> {
    const answer = await fetch(`${this.base}/health/ready`).catch(() => null);
    if (answer?.status !== 200) return false;
    const { connections } = (await answer.json()) as { connections: Connections };
    const { open, idle, waiting } = connections;
    return open === idle && waiting === 0;
  }
}

export interface Citizen {
  id: string;
  token: string;
  /** Tasks that nobody has completed yet. */
  fresh: number[];
}

export type Town = Awaited<ReturnType<typeof foundTown>>;

const CITIZENS = 20;
const TASKS_EACH = 2_000;

/** Two processes of the service, each behind a proxy of its own, and citizens who check in. */
export async function foundTown(server: ServerOfTests) {
  const url = await server.newDatabase();
  const diary = new Diary();
  const pooler = process.env.TEST_POOLER === 'pgbouncer' ? await startPgBouncer(url) : undefined;
  const way = pooler?.through(url) ?? url;
  const environment = (proxied: string) => ({
    DATABASE_URL: proxied,
    ...(pooler && { DATABASE_DIRECT_URL: url }),
    JWT_SECRET: SECRET,
  });
  const found = async (service: string) => {
    const proxy = await startProxy(Number(new URL(way).port));
    return new Service(service, await freePort(), proxy, environment(proxy.through(way)), diary);
  };
  const services = [await found('A'), await found('B')];
  await Promise.all(services.map((service) => service.start()));

  const rows = async <Row extends pg.QueryResultRow>(statement: string): Promise<Row[]> => {
    const client = new pg.Client(url);
    await client.connect();
    return (await client.query<Row>(statement).finally(() => client.end())).rows;
  };
  const command = async (script: string) => {
    const process = launch(`dist/src/operation/commands/${script}.js`, environment(url));
    return [await process.exited, process.output];
  };
  const close = async () => {
    for (const service of services) {
      await service.end('SIGKILL');
      await service.proxy.stop();
    }
    await pooler?.stop();
  };
  await rows(PEOPLE);
  const tokens = new Tokens(SECRET, systemClock);
  const people = await rows<Omit<Citizen, 'token'>>(
    'select user_id as id, array_agg(id::int order by id) as fresh from tasks group by 1 order by 1',
  );
  const citizens: Citizen[] = people.map((each) => ({ ...each, token: tokens.issue(each.id).token }));
  return { server, services, citizens, diary, rows, command, close };
}

const numbered = `('00000000-0000-4000-8000-' || lpad(i::text, 12, '0'))::uuid`;

/** Citizens with fresh tasks. */
const PEOPLE = `
  insert into users (id, name, email, password_hash, created_at, updated_at)
    select ${numbered}, 'Ana', i || '@example.com', '', now(), now() from generate_series(1, ${CITIZENS}) i;
  insert into user_progress (user_id) select id from users;
  insert into tasks (user_id, title, points, is_daily_routine, created_at, updated_at)
    select ${numbered}, 'Swim', 1 + i % 7 + 0.25, false, now(), now()
    from generate_series(1, ${CITIZENS}) i, generate_series(1, ${TASKS_EACH})`;
