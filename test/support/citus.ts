import pg from 'pg';

// Databases of one's own on the nodes of a database with Citus. Benchmarks run this file as it is.

/** Begins the name of each such database, on every node. */
const PREFIX = 'steady_try_';

const inDatabase = (url: string, name: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href;

export async function execute(url: string, ...statements: string[]): Promise<Record<string, string>[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    let rows: Record<string, string>[] = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  } finally {
    await client.end();
  }
}

/** Of the worker nodes. */
async function workersOf(coordinator: string): Promise<string[]> {
  const rows = await execute(
    coordinator,
    `select nodename as hostname, nodeport::text as port from pg_dist_node
     where noderole = 'primary' and groupid > 0 order by nodeid`,
  );
  return rows.map((place) => Object.assign(new URL(coordinator), place).href);
}

const call = (name: string, node: string) => {
  const { hostname, port } = new URL(node);
  return `select ${name}('${hostname}', ${port || 5432})`;
};

/** An empty database on all of the nodes. */
export async function newOnNodes(coordinator: string, suffix: string): Promise<string> {
  const name = PREFIX + suffix;
  const workers = await workersOf(coordinator);
  for (const node of [coordinator, ...workers]) {
    await execute(inDatabase(node, 'postgres'), `create database ${name}`);
    await execute(inDatabase(node, name), 'create extension citus');
  }
  const url = inDatabase(coordinator, name);
  const joining = workers.map((worker) => call('citus_add_node', worker));
  await execute(url, call('citus_set_coordinator_host', coordinator), ...joining);
  return url;
}

export async function dropOnNodes(coordinator: string): Promise<void> {
  for (const node of [coordinator, ...(await workersOf(coordinator))]) {
    const server = inDatabase(node, 'postgres');
    const names = await execute(
      server,
      `select datname as name from pg_database where datname like '${PREFIX}%'`,
    );
    for (const { name } of names) await execute(server, `drop database if exists ${name} with (force)`);
  }
}
