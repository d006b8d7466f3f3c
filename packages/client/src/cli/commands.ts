import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createClient, type Session, type SteadyClient } from '../client.js';
import { SteadyError } from '../errors.js';
import { fileStorage } from '../file.js';
import type { Tap } from '../queue.js';
import { exact, type Habit } from '../today.js';
import { askSecretly } from './ask.js';
import { home, type KeptSession, keepSession, readSession } from './session.js';

/** What was typed is not what the command takes. */
export class UsageError extends Error {}

/** What a command answers: for people, and for programs. */
export interface Said {
  text: string;
  json: unknown;
  /** There was no network, or something waits. */
  isWaiting?: boolean;
  /** The service has refused, and this is what is known without it. */
  isRefused?: boolean;
}

export interface Options {
  url?: string;
  email?: string;
  token?: string;
  amount?: string;
  note?: string;
  days?: string;
  after?: string;
}

export type Command = (
  options: Options,
  args: string[],
  tell: (said: Said) => void,
) => Promise<Said | undefined>;

const storage = fileStorage(path.join(home, 'queue'));

/** Names what `undo` takes back. */
const LAST = 'last';

/** Ids are those of one service, and a tap is of one account there: somebody else may have logged in since. */
interface Last extends Tap {
  title: string;
  url: string;
  userId: string;
}

const clientOf = ({ url, token }: { url: string; token: string | null }) =>
  createClient({ url, token, storage });

async function currentSession(): Promise<KeptSession> {
  const session = await readSession();
  if (!session) throw new UsageError('Log in first: steady login --url https://habits.example.com');
  return session;
}

const loggedIn = async () => clientOf(await currentSession());

export const login: Command = async ({ url, email, token }) => {
  const address = url ?? process.env.STEADY_URL;
  if (!address) throw new UsageError('Where is the service? --url https://habits.example.com');
  if (!/^https?:$/.test(URL.canParse(address) ? new URL(address).protocol : ''))
    throw new UsageError(`That is no address of a service: ${address}`);
  const client = clientOf({ url: address, token: token ?? null });
  const { id, name } = token ? (await client.request('{ me { id name } }')).me : await logIn(client, email);
  await keepSession({ url: new URL(address).href, token: client.token ?? '', userId: id });
  await client.today().catch(() => {}); // from now on habits are known by their names, also without a network
  client.close();
  return { text: `Welcome, ${name}.`, json: { name, waiting: client.queue.size } };
};

async function logIn(client: SteadyClient, email: string | undefined): Promise<Session['user']> {
  if (!email) throw new UsageError('Who are you? --email ana@example.com, or --token for an API token');
  const password = process.env.STEADY_PASSWORD ?? (await askSecretly('Password: '));
  if (password === null) throw new UsageError('There is no password: type it, or set STEADY_PASSWORD');
  return (await client.logIn({ email, password })).user;
}

const MARKS: Record<string, string> = { KEPT: '✓', PARTIAL: '◐', OPEN: '○', WITHIN: '✓', EXCEEDED: '✗' };

/** `1 day`, `3 weeks` */
const run = (count: number, unit: string) =>
  `${count} ${unit.toLowerCase().slice(0, count === 1 ? -1 : undefined)}`;

function lineOf(habit: Habit): string {
  const { title, state, amount, target, unit, streak, streakUnit, waiting, count } = habit;
  const progress = target === null ? (count > 1 ? `${count} times` : '') : `${amount} of ${target} ${unit}`;
  const kept = streak > 0 ? run(streak, streakUnit) : '';
  const told = [progress, kept, waiting > 0 ? `${waiting} waiting` : ''].filter(Boolean).join(', ');
  return `${MARKS[state] ?? '·'} ${title}${told && `  (${told})`}`;
}

export const today: Command = async () => {
  const client = await loggedIn();
  const known = await client.today();
  const shown = known.habits.filter(
    ({ isDue, waiting, isLimit, count }) => isDue || waiting || isLimit || count,
  );
  const isAway = known.staleReason === 'NO_ANSWER';
  const why = isAway ? 'No network' : 'The service does not say it now';
  const note = known.isStale ? ['', `${why}: this is as it was last known, with what waits.`] : [];
  client.close();
  return {
    text: [known.date, ...shown.map(lineOf), ...note].join('\n'),
    json: known,
    isWaiting: isAway || (known.isStale && client.queue.size > 0),
    isRefused: known.isStale,
  };
};

const DAY_MS = 86_400_000;

/** Without a network those that were known last: that was on another day, so only what waits since this one began counts. */
async function habitsOf(client: SteadyClient): Promise<readonly Habit[]> {
  try {
    return (await client.today()).habits;
  } catch (error) {
    const known = error instanceof SteadyError && error.isPassing ? await client.lastKnown() : null;
    if (!known) throw error;
    const now = Date.now();
    const begun = now - ((now - Date.parse(known.endsAt)) % DAY_MS);
    const taps = (await client.queue.waiting()).taps.filter(({ madeAt }) => madeAt >= begun);
    return known.habits.map((habit) => {
      const own = taps.filter(({ taskId }) => taskId === habit.id);
      const amount = own.reduce((sum, tap) => sum + (tap.amount ?? habit.target ?? 0), 0);
      return { ...habit, amount: exact(amount) };
    });
  }
}

/** By its id or its title, or by how that begins. */
async function habitCalled(client: SteadyClient, name: string | undefined): Promise<Habit> {
  if (!name) throw new UsageError('Which habit? Give its title, in quotation marks');
  const habits = await habitsOf(client);
  const wanted = name.toLowerCase();
  const same = habits.filter(({ id, title }) => id === name || title.toLowerCase() === wanted);
  const found = same.length > 0 ? same : habits.filter(({ title }) => title.toLowerCase().startsWith(wanted));
  const [habit] = found;
  if (!habit) throw new SteadyError(`There is no habit called ${name}`, { reason: 'NOT_FOUND' });
  if (found.length > 1) {
    const titles = found.map(({ id, title }) => `${title} (${id})`).join(', ');
    throw new SteadyError(`That fits several habits: ${titles}`, { reason: 'INVALID_INPUT' });
  }
  return habit;
}

/** Why something waits that is not for want of a network. */
function assertMayGo({ queue: { error } }: SteadyClient): void {
  if (error && !error.isPassing) throw error;
}

/** What a tap on the page adds: its step, to a target of a day at most what is left. */
function stepOf({ step, target, per, isLimit, amount }: Habit): number | null {
  if (step === null || target === null) return null;
  const left = exact(target - (amount ?? 0));
  return per === 'DAY' && !isLimit && left > 0 ? Math.min(step, left) : step;
}

export const done: Command = async ({ amount: given, note = null }, [name]) => {
  const number = given === undefined ? null : Number(given || Number.NaN);
  if (number !== null && !Number.isFinite(number))
    throw new UsageError('An amount is a number: --amount 500');
  const session = await currentSession();
  const client = clientOf(session);
  const habit = await habitCalled(client, name);
  const amount = number ?? stepOf(habit);
  const once = habit.target === null && number === null && note === null; // another device may have done it
  const tap = await client.complete(habit.id, { amount, note, once }).catch(async (error) => {
    for (const { key } of client.queue.refused) await client.queue.dismiss(key); // it is told now
    throw error;
  });
  const { url, userId } = session;
  const last: Last = { ...tap, title: habit.title, url, userId };
  await storage.set(LAST, JSON.stringify(last));
  assertMayGo(client);
  client.close();
  const isWaiting = tap.state === 'waiting';
  return {
    text: isWaiting ? `${habit.title}: waits, and is sent by the next command.` : `${habit.title}: done.`,
    json: { ...tap, title: habit.title },
    isWaiting,
  };
};

export const undo: Command = async () => {
  const session = await currentSession();
  const text = await storage.get(LAST);
  const last: Last | null = text ? JSON.parse(text) : null;
  if (last?.url !== session.url || last.userId !== session.userId)
    throw new SteadyError('There is nothing to take back', { reason: 'NOT_FOUND' });
  const { title, url: _, userId: __, ...tap } = last;
  const client = clientOf(session);
  const state = await client.undo(tap);
  await storage.delete(LAST);
  assertMayGo(client);
  client.close();
  const isWaiting = state === 'waiting';
  return {
    text: isWaiting ? `${title}: is taken back by the next command.` : `${title}: taken back.`,
    json: { key: tap.key, title, state },
    isWaiting,
  };
};

const SKIP = `mutation Skip($taskId: ID!, $date: Date!, $note: String) {
  skipDay(taskId: $taskId, date: $date, note: $note) { date task { id title } }
}`;

export const skip: Command = async ({ note }, [name]) => {
  const client = await loggedIn();
  const habit = await habitCalled(client, name);
  const { date } = await client.today();
  const { skipDay } = await client.request(SKIP, { taskId: habit.id, date, note: note ?? null });
  client.close();
  return { text: `${habit.title}: skipped on ${date}.`, json: skipDay };
};

const STATISTICS = `query Statistics($last: Int!, $after: String) {
  me { points streak { unit count longest } }
  tasks(first: 100, after: $after) {
    nodes { id title streak { unit count longest } statistics(last: $last) {
      dueDays keptDays missedDays rate completionCount amount
    } }
    pageInfo { hasNextPage endCursor }
  }
}`;

interface TaskStatistics {
  id: string;
  title: string;
  streak: { unit: string; count: number };
  statistics: { dueDays: number; keptDays: number; rate: number | null };
}

interface PageOfStatistics {
  me: { points: number; streak: { count: number; longest: number } };
  tasks: { nodes: TaskStatistics[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };
}

/** All habits, each once: one that is moved between two questions may be on both pages. */
async function readStatistics(client: SteadyClient, last: number) {
  const byId = new Map<string, TaskStatistics>();
  for (let after: string | null = null; ; ) {
    const { me, tasks }: PageOfStatistics = await client.request(STATISTICS, { last, after });
    for (const task of tasks.nodes) byId.set(task.id, task);
    after = tasks.pageInfo.endCursor;
    if (!tasks.pageInfo.hasNextPage) return { me, tasks: { nodes: [...byId.values()] } };
  }
}

export const stats: Command = async ({ days = '30' }) => {
  const last = Number(days);
  if (!Number.isInteger(last) || last < 1) throw new UsageError('Days are a number: --days 30');
  const client = await loggedIn();
  await client.queue.flush();
  const answer = await readStatistics(client, last);
  client.close();
  const { me, tasks } = answer;
  const lines = tasks.nodes.map(({ title, streak, statistics: { dueDays, keptDays, rate } }) => {
    const share = rate === null ? '' : `, ${Math.round(rate * 100)} %`;
    return `${title}: ${keptDays} of ${dueDays}${share}, ${run(streak.count, streak.unit)}`;
  });
  const { count, longest } = me.streak;
  return {
    text: [`${me.points} points, a streak of ${run(count, 'DAYS')} (longest ${longest})`, ...lines].join(
      '\n',
    ),
    json: answer,
  };
};

/** A file of this name is there as a whole, or as it was before. */
export const exportTo: Command = async (_options, [file]) => {
  if (!file) throw new UsageError('Into which file? steady export FILE');
  const client = await loggedIn();
  await client.queue.flush();
  const { body } = await client.export();
  const draft = `${file}.${process.pid}`;
  try {
    await pipeline(
      Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]),
      createWriteStream(draft, { flags: 'wx', mode: 0o600 }),
    );
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    const isOfFile = (error as NodeJS.ErrnoException).syscall !== undefined;
    throw isOfFile ? error : new SteadyError('The export broke off', { cause: error });
  }
  client.close();
  return { text: `Written to ${file}.`, json: { file } };
};

export const watch: Command = async ({ after }, _args, tell) => {
  const client = await loggedIn();
  await client.queue.flush();
  await new Promise<void>((resolve, reject) => {
    const listening = { failed: reject, ...(after !== undefined && { after }) };
    const stop = client.watch((event) => {
      const { number, at, kind, taskId, day } = event;
      const about = [taskId && `task ${taskId}`, day].filter(Boolean).join(', ');
      tell({ text: `${number}  ${at}  ${kind}${about && `  (${about})`}`, json: event });
    }, listening);
    process.once('SIGINT', () => {
      stop();
      resolve();
    });
  });
  client.close();
  return undefined;
};
