import { type Bench, question } from '../bench.ts';
import { median, spread, table } from '../figures.ts';
import type { Server } from '../service.ts';
import { cpuOf } from '../usage.ts';

// What schedules cost: a list of tasks of all kinds beside one of tasks for every day, a tap on each kind, one habit's
// own view after twenty years, and a change of its schedule while another user completes.

const DAY = 24 * 60 * 60 * 1_000;

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
  private readonly headers: Record<string, string>;

  constructor(service: Server, headers: Record<string, string>) {
    this.service = service;
    this.headers = headers;
  }

  static async at(service: Server, name: string): Promise<Person> {
    const nobody = new Person(service, {});
    const { token } = await nobody.post('/api/auth/signup', {
      ...{ name, email: `${name}@example.com`, password: 'secret1' },
    });
    return new Person(service, { Authorization: `Bearer ${token}` });
  }

  async post(path: string, body: object): Promise<Record<string, never>> {
    const answer = await fetch(`http://127.0.0.1:${this.service.port}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...this.headers },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Record<string, never>;
  }

  // biome-ignore lint/suspicious/noExplicitAny: the answer is as the query asks for it
  async query(query: string): Promise<any> {
    const { data, errors } = await this.post('/graphql', { query });
    if (errors) throw new Error(JSON.stringify(errors));
    return data;
  }

  /** Tasks done once a day until yesterday. */
  async has(tasks: number, days: number): Promise<string[]> {
    const today = Math.floor(Date.now() / DAY) * DAY;
    const at = (ago: number) => new Date(today - ago * DAY + 7 * 3_600_000).toISOString();
    const made = { points: 10, isDailyRoutine: true, createdAt: at(days), updatedAt: at(days) };
    const completions = (id: number) =>
      Array.from({ length: days }, (_, index) => ({
        ...{ task: id, points: 10, completedAt: at(days - index), recordedAt: at(days - index) },
        day: at(days - index).slice(0, 10),
      }));
    await this.post('/account/import', {
      ...{ format: 'steady-export', version: 1, account: { timeZone: 'Europe/Berlin', dayStartsAt: 0 } },
      tasks: Array.from({ length: tasks }, (_, index) => ({ id: index + 1, title: `${index + 1}`, ...made })),
      challenges: [],
      completions: Array.from({ length: tasks }, (_, index) => completions(index + 1)).flat(),
    });
    const { tasks: list } = await this.query('{ tasks(first: 100) { nodes { id } } }');
    return list.nodes.map(({ id }: { id: string }) => id);
  }

  plans(id: string, plan: string): Promise<unknown> {
    return this.query(`mutation { updateTask(id: ${id}, input: { ${plan} }) { task { id } } }`);
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
