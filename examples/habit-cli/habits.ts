import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { ClientError, GraphQLClient } from 'graphql-request';
import { ADD_TASK, COMPLETE, LOG_IN, MONTH, SIGN_UP, TASKS } from './documents.ts';

// A client of Steady on the command line; see README.md.

const USAGE = `Usage: node examples/habit-cli/habits.ts <command>

  sign-up <name> <e-mail>   make an account and be logged in
  log-in <e-mail>           be logged in
  add <title> [points]      make a task
  tasks                     the tasks, with how often each was done
  done <id>                 complete a task
  month [2026-11]           the days of a month, and the streak`;

/** What the user got wrong, as one line. */
class UsageError extends Error {}

const sessionFile = path.join(homedir(), '.habits-token');

const client = new GraphQLClient(`${process.env.STEADY_URL ?? 'http://127.0.0.1:3000'}/graphql`, {
  headers: (): Record<string, string> =>
    existsSync(sessionFile) ? { authorization: `Bearer ${readFileSync(sessionFile, 'utf8')}` } : {},
});

function keep({ token, user }: { token: string; user: { name: string } }): void {
  writeFileSync(sessionFile, token, { mode: 0o600 });
  console.log(`Welcome, ${user.name}.`);
}

async function askForPassword(): Promise<string> {
  if (process.env.HABITS_PASSWORD) return process.env.HABITS_PASSWORD;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  return terminal.question('Password: ').finally(() => terminal.close());
}

const given = (value: string | undefined, what: string): string => {
  if (value === undefined) throw new UsageError(`What is missing: ${what}.\n\n${USAGE}`);
  return value;
};

/** A mutation that is refused answers null, which the client throws as an error before. */
function answered<Payload>(payload: Payload | null): Payload {
  if (payload === null) throw new Error('No answer');
  return payload;
}

const commands: Record<string, (...args: (string | undefined)[]) => Promise<void>> = {
  'sign-up': async (name, email) => {
    const input = { name: given(name, 'a name'), email: given(email, 'an e-mail address') };
    const { signUp } = await client.request(SIGN_UP, {
      input: { ...input, password: await askForPassword() },
    });
    keep(answered(signUp));
  },

  'log-in': async (email) => {
    const input = { email: given(email, 'an e-mail address'), password: await askForPassword() };
    const { logIn } = await client.request(LOG_IN, { input });
    keep(answered(logIn));
  },

  add: async (title, points) => {
    const task = { title: given(title, 'a title'), ...(points && { points: Number(points) }) };
    const { task: added } = answered((await client.request(ADD_TASK, task)).createTask);
    console.log(`${added.id}  ${added.title}`);
  },

  tasks: async () => {
    let after: string | null = null;
    do {
      const { tasks }: Awaited<ReturnType<typeof pageOfTasks>> = await pageOfTasks(after);
      for (const { id, title, points, completionCount, lastCompletedAt } of tasks.nodes) {
        const last = lastCompletedAt ? `, last on ${lastCompletedAt.slice(0, 10)}` : '';
        console.log(`${id}  ${title} (${points} points): done ${completionCount} times${last}`);
      }
      after = tasks.pageInfo.hasNextPage ? tasks.pageInfo.endCursor : null;
    } while (after);
  },

  done: async (taskId) => {
    const { completeTask } = await client.request(COMPLETE, { taskId: given(taskId, 'the id of a task') });
    const { task, user } = answered(completeTask);
    console.log(`${task.title}: done ${task.completionCount} times.`);
    console.log(`${user.points} points, a streak of ${user.streak.count} days.`);
  },

  month: async (month = new Date().toISOString().slice(0, 7)) => {
    const from = new Date(`${month}-01T00:00:00Z`);
    if (!/^\d{4}-\d{2}$/.test(month) || Number.isNaN(from.getTime())) {
      throw new UsageError('A month is written like 2026-11.');
    }
    const to = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1, 0));
    const { me } = await client.request(MONTH, { from: dayOf(from), to: dayOf(to) });
    const marks = me.calendar.map(({ date, completionCount }) =>
      `${Number(date.slice(8))}${completionCount > 0 ? '*' : ' '}`.padStart(4),
    );
    const daysBefore = (from.getUTCDay() + 6) % 7;
    const cells = [...Array<string>(daysBefore).fill('    '), ...marks];
    console.log('Mon Tue Wed Thu Fri Sat Sun');
    while (cells.length > 0) console.log(cells.splice(0, 7).join('').trimEnd());
    console.log(
      `${me.calendar.filter(({ completionCount }) => completionCount > 0).length} days with something done.`,
    );
  },
};

const pageOfTasks = (after: string | null) => client.request(TASKS, { after });

const dayOf = (instant: Date) => instant.toISOString().slice(0, 10);

function explain(error: unknown): string {
  if (error instanceof UsageError) return error.message;
  // A refusal of the service is written for people; its code is for programs.
  if (error instanceof ClientError) {
    const isLoggedOut = error.response.errors?.some(
      ({ extensions }) => extensions?.code === 'UNAUTHENTICATED',
    );
    const messages = error.response.errors?.map(({ message }) => message) ?? [error.message];
    return [...messages, ...(isLoggedOut ? ['Log in with: habits.ts log-in <e-mail>'] : [])].join('\n');
  }
  return `The service cannot be reached: ${error instanceof Error ? error.message : error}`;
}

const [name = '', ...args] = process.argv.slice(2);
const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
try {
  if (!command) throw new UsageError(USAGE);
  await command(...args);
} catch (error) {
  console.error(explain(error));
  process.exitCode = 1;
}
