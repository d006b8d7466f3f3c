import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { COMPLETE, LIST, NESTED, PROFILE } from './operations.ts';

// The baseline: what Node and PostgreSQL take for the same answers when nothing is general. Bare `node:http`, JSON by
// hand, and named statements: PostgreSQL plans each once per connection. Values come as text and go into JSON as text;
// only numerics pass through a number, because 5.0 is 5 in JSON. It guards nothing: no limits, no deadlines, no fair
// shares, no validation, no schema.

const key = createSecretKey(process.env.JWT_SECRET ?? '', 'utf8');

/** In seconds, as the service has it. */
const LIFETIME = 30 * 24 * 60 * 60;
const LEEWAY = 60;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What the service asks of a token (HS256), and nothing less. */
function userOf(authorization: string | undefined): string | null {
  const [, token = ''] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
  const end = token.lastIndexOf('.');
  const middle = token.indexOf('.');
  if (middle < 0 || middle === end) return null;
  const signature = Buffer.from(token.slice(end + 1), 'base64url');
  const expected = createHmac('sha256', key).update(token.slice(0, end)).digest();
  if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) return null;
  const header = JSON.parse(Buffer.from(token.slice(0, middle), 'base64url').toString());
  if (header.alg !== 'HS256' || header.typ !== 'JWT' || 'crit' in header) return null;
  const { sub, iat, exp } = JSON.parse(Buffer.from(token.slice(middle + 1, end), 'base64url').toString());
  if (typeof sub !== 'string' || !UUID.test(sub)) return null;
  if (typeof iat !== 'number' || typeof exp !== 'number') return null;
  const now = Math.floor(Date.now() / 1_000);
  const latest = now + LEEWAY;
  const isGood = exp > now && exp - iat <= LIFETIME && exp <= latest + LIFETIME && iat <= latest;
  return isGood ? sub : null;
}

const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: 10,
  options: '-c timezone=UTC -c jit=off',
  types: { getTypeParser: () => (value: unknown) => value },
});

pool.on('error', () => {}); // of an idle connection: the next statement tells

type Value = string | null | undefined;
type Row = Value[];

const statement = (name: string, text: string) => async (values: unknown[]) => {
  const { rows } = await pool.query({ name, text, values, rowMode: 'array' });
  return rows as Row[];
};

const select = {
  tasks: statement(
    'tasks',
    `select id, challenge_template_id, title, description, points, is_daily_routine, completion_count,
       created_at, updated_at
     from tasks where user_id = $1 order by created_at, id limit $2`,
  ),
  profile: statement(
    'profile',
    `select name, email, profile_picture, points, current_streak, max_streak, created_at, updated_at
     from users join user_progress on user_id = id where id = $1`,
  ),
  nested: statement(
    'nested',
    `select users.name, user_progress.points, user_progress.current_streak,
       challenge.id, challenge.status, challenge.start_date, template.id, template.title, template.duration_days
     from users join user_progress on user_progress.user_id = users.id
     left join user_challenges challenge on challenge.user_id = users.id and challenge.status = 'ACTIVE'
     left join challenge_templates template on template.id = challenge.template_id
     where users.id = $1`,
  ),
};

/** The same writes as `counting` for a user of UTC days, and the same look at who listens; without its deadline. */
const count = statement(
  'complete',
  `with task as (
     select points from tasks where id = $2 and user_id = $1
   ), progress as (
     update user_progress set
       points = user_progress.points + task.points,
       current_streak = current_streak + (case when last_active_on = $4::date then 0 else 1 end),
       max_streak = greatest(max_streak, current_streak + (case when last_active_on = $4::date then 0 else 1 end)),
       last_active_on = $4::date,
       run_started_on = (case when last_active_on >= $4::date - 1 then run_started_on else $4::date end),
       longest_run = greatest(longest_run,
         $4::date - (case when last_active_on >= $4::date - 1 then run_started_on else $4::date end) + 1)
     from task
     where user_progress.user_id = $1 and (last_active_on is null or last_active_on <= $4::date)
     returning task.points, user_progress.points as total, current_streak
   ), counted as (
     update tasks set
       completion_count = completion_count + 1,
       last_completed_at = greatest(last_completed_at, $3::timestamptz),
       last_day = $4::date,
       run_started_on = (case when tasks.last_day >= $4::date - 1 then tasks.run_started_on else $4::date end),
       run_count = (case when tasks.last_day >= $4::date - 1 then tasks.run_count + ($4::date - tasks.last_day) else 1 end),
       longest_run = greatest(tasks.longest_run,
         (case when tasks.last_day >= $4::date - 1 then tasks.run_count + ($4::date - tasks.last_day) else 1 end))
     from progress
     where tasks.id = $2 and tasks.user_id = $1
     returning tasks.id, tasks.user_id, completion_count
   ), completion as (
     insert into task_completions (user_id, task_id, points, completed_at, idempotency_key, day, recorded_at)
     select $1::uuid, $2::bigint, points, $3::timestamptz, $5::text, $4::date, $3::timestamptz
     from progress
     returning id, points
   )
   select completion.id, completion.points, completion_count, progress.total, current_streak, (
     select pg_notify('steady', json_build_object('topic', 'progress', 'userId', counted.user_id, 'event',
       json_build_object('cause', 'COMPLETED', 'taskId', counted.id, 'completionId', completion.id))::text)
     where exists (select from listeners where listeners.user_id = counted.user_id and until > now())
   )
   from progress, counted, completion`,
);
/** `2026-11-21 08:41:52.9+00` → `"2026-11-21T08:41:52.900Z"`. PostgreSQL leaves final zeros out. */
const instant = (text: Value) =>
  text ? `"${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20, -3).padEnd(3, '0')}Z"` : 'null';

const quoted = (text: Value) => JSON.stringify(text ?? null);

const restTask = (
  userId: string,
  [id, template, title, description, points, daily, count, made, changed]: Row,
) =>
  `{"task":{"id":${id},"user_id":"${userId}","challenge_template_id":${template},"title":${quoted(title)},"description":${quoted(description)},"points":${Number(points)},"is_daily_routine":${daily === 't'},"created_at":${instant(made)},"updated_at":${instant(changed)}},"completion_count":${count}}`;

const graphqlTask = ([id, , title, description, points, daily, count, made, changed]: Row) =>
  `{"id":"${id}","title":${quoted(title)},"description":${quoted(description)},"points":${Number(points)},"isDailyRoutine":${daily === 't'},"completionCount":${count},"createdAt":${instant(made)},"updatedAt":${instant(changed)}}`;

const nestedTask = ([id, , title, , points, , count]: Row) =>
  `{"id":"${id}","title":${quoted(title)},"points":${Number(points)},"completionCount":${count}}`;

/** In one statement; undefined when the user has no such task. */
async function complete(userId: string, taskId: number) {
  const at = new Date().toISOString();
  const [row] = await count([userId, taskId, at, at.slice(0, 10), null]);
  return row && { at, row };
}

/** As many as the first page of each API reads, with the one that tells whether there are more. */
const FIRST = { rest: 101, graphql: 51 };

const operations: Record<string, (userId: string, variables: { taskId?: unknown }) => Promise<string>> = {
  [LIST]: async (userId) => {
    const tasks = await select.tasks([userId, FIRST.graphql]);
    return `{"data":{"tasks":{"nodes":[${tasks.map(graphqlTask).join(',')}]}}}\n`;
  },
  [COMPLETE]: async (userId, { taskId }) => {
    const done = await complete(userId, Number(taskId));
    if (!done) return '{"errors":[{"message":"Task not found"}],"data":null}\n';
    const [id, earned, number, points, streak] = done.row;
    return `{"data":{"completeTask":{"completion":{"id":"${id}","points":${Number(earned)},"completedAt":"${done.at}"},"task":{"id":"${taskId}","completionCount":${number}},"user":{"points":${Number(points)},"currentStreak":${streak}}}}}\n`;
  },
  [PROFILE]: async (userId) => {
    const [[name, email, picture, points, streak, longest, made, changed] = []] = await select.profile([
      userId,
    ]);
    return `{"data":{"me":{"id":"${userId}","name":${quoted(name)},"email":${quoted(email)},"profilePicture":${quoted(picture)},"points":${Number(points)},"currentStreak":${streak},"maxStreak":${longest},"createdAt":${instant(made)},"updatedAt":${instant(changed)}}}}\n`;
  },
  [NESTED]: async (userId) => {
    const [[user = []], tasks] = await Promise.all([
      select.nested([userId]),
      select.tasks([userId, FIRST.graphql]),
    ]);
    const [name, points, streak, id, status, start, template, title, days] = user;
    const challenge = id
      ? `{"id":"${id}","status":"${status}","createdAt":${instant(start)},"template":{"id":"${template}","title":${quoted(title)},"durationDays":${days}}}`
      : 'null';
    return `{"data":{"me":{"id":"${userId}","name":${quoted(name)},"points":${Number(points)},"currentStreak":${streak},"activeChallenge":${challenge}},"tasks":{"nodes":[${tasks.map(nestedTask).join(',')}]}}}\n`;
  },
};

interface Answer {
  status: number;
  text: string;
}

const ok = (text: string): Answer => ({ status: 200, text });
const refusal = (status: number, error: string): Answer => ({ status, text: JSON.stringify({ error }) });

const works: Record<string, (userId: string, body: string) => Promise<Answer>> = {
  'GET /api/tasks/me': async (userId) => {
    const tasks = await select.tasks([userId, FIRST.rest]);
    return ok(`[${tasks.map((task) => restTask(userId, task)).join(',')}]`);
  },
  'POST /api/task-completions': async (userId, body) => {
    const taskId: unknown = JSON.parse(body).task_id;
    if (!Number.isSafeInteger(taskId)) return refusal(400, 'Task id must be a whole number');
    const done = await complete(userId, Number(taskId));
    if (!done) return refusal(404, 'Task not found');
    const text = `{"id":${done.row[0]},"task_id":${taskId},"user_id":"${userId}","completed_at":"${done.at}"}`;
    return { status: 201, text };
  },
  'GET /api/user/profile': async (userId) => {
    const [[name, email, picture, points, streak, longest, made, changed] = []] = await select.profile([
      userId,
    ]);
    return ok(
      `{"id":"${userId}","name":${quoted(name)},"email":${quoted(email)},"profile_picture":${quoted(picture)},"points":${Number(points)},"current_streak":${streak},"max_streak":${longest},"created_at":${instant(made)},"updated_at":${instant(changed)}}`,
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
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => resolve(body));
  });

async function answer(request: IncomingMessage): Promise<Answer> {
  if (request.url === '/nothing') return ok('[]');
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
