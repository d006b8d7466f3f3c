import { type Bench, question } from '../bench.ts';
import { median, spread, table } from '../figures.ts';
import { ask, DAY, exportOf, newToken } from '../people.ts';
import type { Server } from '../service.ts';
import { cpuOf } from '../usage.ts';

// What schedules cost: a list of tasks of all kinds beside one of tasks for every day, a tap on each kind, one habit's
// own view after twenty years, and a change of its schedule while another user completes.

const SCHEDULES = {
  'every day': 'schedule: null',
  weekdays: 'schedule: { weekdays: [MONDAY, WEDNESDAY, FRIDAY] }',
  'every 2 days': 'schedule: { every: 2 }',
  '3 a week': 'schedule: { times: { times: 3, per: WEEK } }',
  '10 a month': 'schedule: { times: { times: 10, per: MONTH } }',
  'a target': 'target: { amount: 8, unit: "glasses" }',
};

const LIST = `{ tasks(first: 100) { nodes { id title schedule { weekdays every times per }
  today { state isDue amount left } streak { unit count longest atRisk aliveUntil } } } }`;

class Person {
  private readonly service: Server;
  private readonly token: string;

  constructor(service: Server, token: string) {
    this.service = service;
    this.token = token;
  }

  static at = async (service: Server, name: string) => new Person(service, await newToken(service, name));

  // biome-ignore lint/suspicious/noExplicitAny: the answer is as the query asks for it
  async query(query: string): Promise<any> {
    return (await this.post('/graphql', { query })).data;
  }

  /** Tasks done once a day until yesterday. */
  async has(tasks: number, days: number): Promise<string[]> {
    await this.post('/account/import', exportOf(tasks, days));
    const { tasks: list } = await this.query('{ tasks(first: 100) { nodes { id } } }');
    return list.nodes.map(({ id }: { id: string }) => id);
  }

  plans(id: string, plan: string): Promise<unknown> {
    return this.query(`mutation { updateTask(id: ${id}, input: { ${plan} }) { task { id } } }`);
  }

  private async post(path: string, body: object) {
    const { status, body: answer } = await ask(this.service, path, { token: this.token, body });
    if (status < 300 && !answer.errors) return answer;
    throw new Error(`${path} was answered ${status}: ${JSON.stringify(answer)}`);
  }
}

/** CPU milliseconds of the service and of PostgreSQL for one request, in rounds that take turns. */
async function costs(
  pids: number[],
  rounds: number,
  requests: number,
  work: Record<string, () => Promise<unknown>>,
) {
  const found = new Map(Object.keys(work).map((name) => [name, [] as number[]]));
  const spent = () => pids.reduce((sum, pid) => sum + cpuOf(pid), 0);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, request] of Object.entries(work)) {
      const before = spent();
      for (let sent = 0; sent < requests; sent += 1) await request();
      if (round > 0) found.get(name)?.push(((spent() - before) / requests) * 1_000); // the first compiles
    }
  }
  return found;
}

const shownCosts = (title: string, found: Map<string, number[]>) => {
  const [baseline = []] = [...found.values()];
  const rows = [...found].map(([name, values]) => [
    ...[name, spread(values, 2), (median(values) / median(baseline)).toFixed(2)],
  ]);
  console.log(`\n${title}\n${table(['', 'CPU ms', 'ratio'], rows)}`);
};

type Numbers = Record<'rounds' | 'requests' | 'days' | 'years', number>;

async function measure(bench: Bench, { rounds, requests, days, years }: Numbers): Promise<void> {
  const server = await bench.postgres();
  const service = await bench.service({ DATABASE_URL: server.url('steady') });
  const pids = [service.pid, server.process().pid ?? 0];
  const plans = Object.values(SCHEDULES);

  const [plain, planned] = [await Person.at(service, 'plain'), await Person.at(service, 'planned')];
  await plain.has(100, days);
  const ids = await planned.has(100, days);
  for (const [index, id] of ids.entries()) await planned.plans(id, plans[index % plans.length] ?? '');
  shownCosts(
    `A list of 100 tasks with ${days} days each`,
    await costs(pids, rounds, requests, {
      'every day': () => plain.query(LIST),
      'all schedules': () => planned.query(LIST),
    }),
  );

  const old = await Person.at(service, 'old');
  const habits = await old.has(Object.keys(SCHEDULES).length, years * 365);
  const kinds = Object.entries(SCHEDULES).map(([name, plan], index) => ({
    name,
    plan,
    id: habits[index] ?? '',
  }));
  for (const { id, plan } of kinds) await old.plans(id, plan);
  const each = (query: (id: string) => string) =>
    Object.fromEntries(kinds.map(({ name, id }) => [name, () => old.query(query(id))]));
  shownCosts(
    `A completion, after ${years} years`,
    await costs(
      pids,
      rounds,
      requests,
      each((id) => `mutation { completeTask(taskId: ${id}) { replayed } }`),
    ),
  );
  const day = (ago: number) => new Date(Date.now() - ago * DAY).toISOString().slice(0, 10);
  const view = (id: string) => `{ task(id: ${id}) { streak { count longest }
    calendar(from: "${day(30)}", to: "${day(0)}") { date state notes }
    statistics(from: "${day(182)}", to: "${day(0)}") { rate byWeekday { kept } by(period: WEEK) { kept } } } }`;
  shownCosts(`One habit's own view, after ${years} years`, await costs(pids, rounds, requests, each(view)));

  const other = await Person.at(service, 'other');
  const [run = ''] = await other.has(1, 1);
  const waits: number[] = [];
  const changes: number[] = [];
  let isOver = false;
  const completing = (async () => {
    while (!isOver) {
      const startedAt = performance.now();
      await other.query(`mutation { completeTask(taskId: ${run}) { replayed } }`);
      waits.push(performance.now() - startedAt);
    }
  })();
  for (let round = 0; round < rounds; round += 1) {
    for (const plan of plans) {
      const startedAt = performance.now();
      await old.plans(habits[0] ?? '', plan);
      changes.push(performance.now() - startedAt);
    }
  }
  isOver = true;
  await completing;
  console.log(`\nA change of the schedule of a task with ${years * 365} days: ${spread(changes, 0)} ms;`);
  console.log(`completions of another user meanwhile: ${spread(waits, 0)} ms`);
}

export default question({ rounds: 5, requests: 100, days: 30, years: 20 }, measure);
