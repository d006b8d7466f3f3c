import { inTurn, Resource, type Simulation, type Work } from './queueing.ts';

// A service in front of a database, as a network of queues, and what becomes of requests in it.

/** What a request takes, in milliseconds: CPU of its process and of the database, and what the disk takes. */
export interface Cost {
  process: number;
  database: number;
  disk?: number;
}

export interface Setup {
  processes: number;
  /** Each with cores of its own. Users are spread over them. */
  databases: number;
  cores: number;
  /** Connections of each process. */
  pool: number;
  /** Between a process and its database and back, with whatever stands between. */
  network: number;
  /** How many requests a process admits. */
  admitted: number;
  /** Where processes, database and clients share these cores, what a request takes of its client as well. */
  shared?: { cores: number; client: number };
}

export interface Request {
  kind: string;
  cost: Cost;
  user: number;
  /** Waits for others that change the same user's counters. */
  isChange: boolean;
}

export type Outcome = 'served' | 'refused' | 'failed';

/** As the service: what is not answered by then fails. */
const DEADLINE = 5_000;

export class Town {
  private readonly processes: { loop: Resource; pool: Resource; inside: number }[];
  private readonly databases: { cores: Resource; isDead: boolean }[];
  private readonly shared: Resource | undefined;
  private readonly locks = new Map<number, Resource>();
  private arrived = 0;

  private readonly simulation: Simulation;
  private readonly setup: Setup;

  constructor(simulation: Simulation, setup: Setup) {
    this.simulation = simulation;
    this.setup = setup;
    const { processes, databases, cores, pool, shared } = setup;
    this.shared = shared && new Resource(simulation, shared.cores);
    this.processes = Array.from({ length: processes }, () => ({
      loop: new Resource(simulation),
      pool: new Resource(simulation, pool),
      inside: 0,
    }));
    this.databases = Array.from({ length: databases }, () => ({
      cores: this.shared ?? new Resource(simulation, cores),
      isDead: false,
    }));
  }

  /** From now on nobody answers there, until it is alive again. */
  die(database: number, isDead = true): void {
    Object.assign(this.databases[database] as object, { isDead });
  }

  databaseOf = (user: number) => user % this.setup.databases;

  /** What is used the most, and how much. */
  busiest(): { what: string; use: number } {
    const most = (resources: Resource[]) => Math.max(...resources.map(({ use }) => use));
    return [
      { what: 'processes', use: most(this.processes.map(({ loop }) => loop)) },
      { what: 'connections', use: most(this.processes.map(({ pool }) => pool)) },
      {
        what: this.shared ? 'the cores of the machine' : 'cores of the database',
        use: most(this.databases.map(({ cores }) => cores)),
      },
    ].reduce((one, other) => (other.use > one.use ? other : one));
  }

  ask(request: Request, answer: (outcome: Outcome, milliseconds: number) => void): void {
    const { simulation, setup } = this;
    const process = this.processes[this.arrived++ % this.processes.length] as (typeof this.processes)[number];
    const askedAt = simulation.now;
    const after = () => simulation.now - askedAt;
    if (process.inside >= setup.admitted) {
      answer('refused', 0);
      return;
    }
    process.inside += 1;
    const { cost } = request;
    const onLoop = (share: number) => process.loop.during(this.onCore(share * cost.process));
    let outcome: Outcome = 'served';
    const statement: Work = (over) => {
      const isDead = () => this.databases[this.databaseOf(request.user)]?.isDead;
      if (after() > DEADLINE || isDead()) outcome = 'failed';
      // Nobody says that the server is dead: a connection to it is held until a limit is over.
      if (isDead()) simulation.wait(UNANSWERED)(over);
      else if (outcome === 'failed') over();
      else this.statement(request)(over);
    };
    const client = setup.shared ? this.onCore(setup.shared.client) : (over: () => void) => over();
    inTurn(
      onLoop(0.6),
      process.pool.during(statement),
      onLoop(0.4),
      client,
    )(() => {
      process.inside -= 1;
      answer(after() > DEADLINE ? 'failed' : outcome, after());
    });
  }

  private onCore(mean: number): Work {
    const work = this.simulation.wait(mean);
    return this.shared ? this.shared.during(work) : work;
  }

  private statement({ cost, user, isChange }: Request): Work {
    const { simulation, setup } = this;
    const { cores } = this.databases[this.databaseOf(user)] as (typeof this.databases)[number];
    const onServer = cores.during(simulation.wait(cost.database));
    const work = cost.disk ? inTurn(onServer, simulation.wait(cost.disk)) : onServer;
    return inTurn(simulation.wait(setup.network), isChange ? this.locked(user, work) : work);
  }

  private locked(user: number, work: Work): Work {
    const lock = this.locks.get(user) ?? new Resource(this.simulation);
    this.locks.set(user, lock);
    const held = lock.during(work);
    return (over) =>
      held(() => {
        if (lock.isIdle && lock.waiting === 0) this.locks.delete(user);
        over();
      });
  }
}

/** In milliseconds: the time limit of a statement, after which an unanswered connection is given up. */
const UNANSWERED = 1_900;
