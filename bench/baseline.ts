import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { complete, nestedOf, profileOf, type Task, tasksOf } from './baseline.queries.ts';
import { userOf } from './baseline.tokens.ts';
import { COMPLETE, LIST, NESTED, PROFILE } from './operations.ts';

// The baseline: what Node and PostgreSQL take for the same answers when nothing is general. Bare `node:http`, named
// statements, JSON by hand. It guards nothing: no limits, no deadlines, no fair shares, no validation, no schema.

interface Answer {
  status: number;
  text: string;
}

type Work = (userId: string, body: string) => Promise<Answer>;

/** As many as the first page of each API reads, with the one that tells whether there are more. */
const FIRST = { rest: 101, graphql: 51 };

const ok = (text: string): Answer => ({ status: 200, text });
const refusal = (status: number, error: string): Answer => ({ status, text: JSON.stringify({ error }) });
const orNull = (text: string | null) => (text === null ? 'null' : JSON.stringify(text));

const restTask = (userId: string, task: Task) =>
  `{"task":{"id":${task.id},"user_id":"${userId}","challenge_template_id":${task.templateId},"title":${JSON.stringify(task.title)},"description":${orNull(task.description)},"points":${task.points},"is_daily_routine":${task.isDaily},"created_at":"${task.createdAt}","updated_at":"${task.updatedAt}"},"completion_count":${task.count}}`;

const graphqlTask = (task: Task) =>
  `{"id":"${task.id}","title":${JSON.stringify(task.title)},"description":${orNull(task.description)},"points":${task.points},"isDailyRoutine":${task.isDaily},"completionCount":${task.count},"createdAt":"${task.createdAt}","updatedAt":"${task.updatedAt}"}`;

const nestedTask = (task: Task) =>
  `{"id":"${task.id}","title":${JSON.stringify(task.title)},"points":${task.points},"completionCount":${task.count}}`;

const operations: Record<string, (userId: string, variables: { taskId?: unknown }) => Promise<string>> = {
  [LIST]: async (userId) => {
    const tasks = await tasksOf(userId, FIRST.graphql);
    return `{"data":{"tasks":{"nodes":[${tasks.map(graphqlTask).join(',')}]}}}\n`;
  },
  [COMPLETE]: async (userId, { taskId }) => {
    const done = await complete(userId, Number(taskId));
    if (!done) return '{"errors":[{"message":"Task not found"}],"data":null}\n';
    return `{"data":{"completeTask":{"completion":{"id":"${done.id}","points":${done.earned},"completedAt":"${done.at}"},"task":{"id":"${done.taskId}","completionCount":${done.count}},"user":{"points":${done.points},"currentStreak":${done.streak}}}}}\n`;
  },
  [PROFILE]: async (userId) => {
    const user = await profileOf(userId);
    return `{"data":{"me":{"id":"${userId}","name":${JSON.stringify(user.name)},"email":${JSON.stringify(user.email)},"profilePicture":${orNull(user.picture)},"points":${user.points},"currentStreak":${user.streak},"maxStreak":${user.maxStreak},"createdAt":"${user.createdAt}","updatedAt":"${user.updatedAt}"}}}\n`;
  },
  [NESTED]: async (userId) => {
    const [user, tasks] = await Promise.all([nestedOf(userId), tasksOf(userId, FIRST.graphql)]);
    const challenge = user.challengeId
      ? `{"id":"${user.challengeId}","status":"${user.status}","startDate":"${user.startDate}","template":{"id":"${user.templateId}","title":${JSON.stringify(user.title)},"durationDays":${user.days}}}`
      : 'null';
    return `{"data":{"me":{"id":"${userId}","name":${JSON.stringify(user.name)},"points":${user.points},"currentStreak":${user.streak},"activeChallenge":${challenge}},"tasks":{"nodes":[${tasks.map(nestedTask).join(',')}]}}}\n`;
  },
};

const works: Record<string, Work> = {
  'GET /api/tasks/me': async (userId) => {
    const tasks = await tasksOf(userId, FIRST.rest);
    return ok(`[${tasks.map((task) => restTask(userId, task)).join(',')}]`);
  },
  'POST /api/task-completions': async (userId, body) => {
    const taskId: unknown = JSON.parse(body).task_id;
    if (!Number.isSafeInteger(taskId)) return refusal(400, 'Task id must be a whole number');
    const done = await complete(userId, Number(taskId));
    if (!done) return refusal(404, 'Task not found');
    const text = `{"id":${done.id},"task_id":${done.taskId},"user_id":"${userId}","completed_at":"${done.at}"}`;
    return { status: 201, text };
  },
  'GET /api/user/profile': async (userId) => {
    const user = await profileOf(userId);
    return ok(
      `{"id":"${userId}","name":${JSON.stringify(user.name)},"email":${JSON.stringify(user.email)},"profile_picture":${orNull(user.picture)},"points":${user.points},"current_streak":${user.streak},"max_streak":${user.maxStreak},"created_at":"${user.createdAt}","updated_at":"${user.updatedAt}"}`,
    );
  },
  'POST /graphql': async (userId, body) => {
    const { query, variables } = JSON.parse(body);
    const operation = operations[query];
    return operation ? ok(await operation(userId, variables ?? {})) : refusal(400, 'Unknown operation');
  },
};

const bodyOf = (request: IncomingMessage) =>
  new Promise<string>((resolve) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => resolve(body));
  });

async function answer(request: IncomingMessage): Promise<Answer> {
  const userId = userOf(request.headers.authorization);
  if (userId === null) return refusal(401, 'Authentication required');
  const work = works[`${request.method} ${request.url}`];
  if (!work) return refusal(404, 'Not found');
  return work(userId, request.method === 'POST' ? await bodyOf(request) : '');
}

const server = createServer(async (request, response) => {
  const { status, text } = await answer(request).catch((error: unknown) => {
    console.error(error);
    return refusal(500, 'Internal server error');
  });
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
});

server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
