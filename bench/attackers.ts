import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { People } from './hostile.ts';

// The attacks, in a process of their own. The parent sends an order as a message; each client then attacks until the
// time is up.

export interface Target {
  port: number;
  people: People;
}

/** One hostile client: attacks until the signal fires, and reports each answer it gets. */
type Attack = (target: Target, until: AbortSignal, report: (answer: string) => void) => Promise<void>;

const repeat = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => part(index)).join(' ');

/** The outcome in a word or two. */
async function graphql(...ask: Parameters<typeof answered>): Promise<string> {
  const { status, text, received } = await answered(...ask);
  const code = /"code":"(\w+)"/.exec(text)?.[1] ?? (received > 1_000 ? 'data' : text.slice(0, 40));
  return `${status} ${code}`;
}

async function answered(
  { port }: Target,
  body: object,
  token: string | undefined,
  signal: AbortSignal,
  /** Reads the answer slowly: this many bytes, then a pause of this many milliseconds. */
  pace?: { bytes: number; every: number },
) {
  const text = JSON.stringify(body);
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
    ...(token && { Authorization: `Bearer ${token}` }),
  };
  const request = http.request({
    port,
    host: '127.0.0.1',
    path: '/graphql',
    method: 'POST',
    headers,
    signal,
  });
  request.end(text);
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  let received = 0;
  let start = '';
  for await (const chunk of response as AsyncIterable<Buffer>) {
    received += chunk.length;
    if (start.length < 400) start += chunk.toString('latin1');
    if (pace && received > pace.bytes) await sleep(pace.every, undefined, { signal });
  }
  return { status: response.statusCode, text: start, received };
}

const again =
  (ask: (target: Target, signal: AbortSignal, round: number) => Promise<string>): Attack =>
  async (target, until, report) => {
    for (let round = 0; !until.aborted; round += 1) {
      await ask(target, until, round).then(report, (error: unknown) => {
        if (!until.aborted) report(`broken off (${(error as NodeJS.ErrnoException).code ?? 'no code'})`);
      });
      await sleep(1);
    }
  };

/** The same field under thirty names at every level: 1.7 kB that ask for hundreds of millions of fields. */
const aliasedIntrospection = () => {
  const level = (name: string, type: string, field: string, below: string) =>
    `fragment ${name} on ${type} { ${repeat(30, (i) => `a${i}: ${field} ${below}`)} }`;
  return [
    '{ __schema { ...schema } }',
    level('schema', '__Schema', 'types', '{ ...type }'),
    level('type', '__Type', 'fields', '{ ...field }'),
    level('field', '__Field', 'args', '{ ...argument }'),
    level('argument', '__InputValue', 'name', ''),
  ].join(' ');
};

const slowly = { bytes: 65_536, every: 2_000 };

/** Writes raw bytes to a socket, with a pause between the parts. */
async function written(
  { port }: Target,
  parts: readonly string[],
  every: number,
  until: AbortSignal,
  report: (answer: string) => void,
): Promise<void> {
  const socket = net.connect({ port, host: '127.0.0.1', signal: until });
  let answered = '';
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    if (answered.length < 20) answered += chunk.toString('latin1');
  });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  for (const part of parts) {
    if (!socket.writable) break;
    socket.write(part);
    if (every > 0) await Promise.race([sleep(every, undefined, { signal: until }).catch(() => {}), closed]);
  }
  await Promise.race([closed, sleep(20_000, undefined, { signal: until }).catch(() => {})]);
  report(answered.slice(9, 12) || 'closed without an answer');
  socket.destroy();
}

const upload = (length: number) =>
  `POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

export const attacks: Record<string, Attack> = {
  'aliases under introspection': again((target, signal) =>
    graphql(target, { query: aliasedIntrospection() }, undefined, signal),
  ),
  'a long name of a variable': again((target, signal) => {
    const name = 'v'.repeat(80_000);
    const query = `mutation ($${name}: LogInInput!) { logIn(input: $${name}) { token } }`;
    const variables = { [name]: { email: [1], password: 'secret1' } };
    return graphql(target, { query, variables }, undefined, signal);
  }),
  'documents with a long comment': again((target, signal, round) =>
    graphql(
      target,
      { query: `{__typename}#${round}${Math.random()}${'c'.repeat(250_000)}` },
      undefined,
      signal,
    ),
  ),
  'pipelined questions about health': async (target, until, report) => {
    while (!until.aborted) {
      const many = 'GET /health/ready HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20_000);
      await written(target, [many], 0, AbortSignal.any([until, AbortSignal.timeout(5_000)]), report).catch(
        () => {},
      );
    }
  },
  'uploads that drip': async (target, until, report) => {
    const dripping = async () => {
      while (!until.aborted)
        await written(target, [upload(250_000), ...Array(30).fill('x'.repeat(8_000))], 300, until, report);
    };
    await Promise.all(Array.from({ length: 50 }, dripping));
  },
  'long texts under aliases, read slowly': again((target, signal) => {
    const query = `{ tasks(first: 100) { nodes { ${repeat(29, (i) => `a${i}: description`)} } } }`;
    return graphql(target, { query }, target.people.wordy.token, signal, slowly);
  }),
  'the longest page there is, read slowly': again((target, signal) =>
    graphql(
      target,
      { query: '{ tasks(first: 100) { nodes { description } } }' },
      target.people.wordy.token,
      signal,
      slowly,
    ),
  ),
  'many pages at once': again((target, signal) => {
    const query = `{ ${repeat(20, (i) => `a${i}: tasks(first: 100) { nodes { description } }`)} }`;
    return graphql(target, { query }, target.people.wordy.token, signal);
  }),
  'a REST list of 80 MB': again(async ({ port, people }, signal) => {
    const headers = { Authorization: `Bearer ${people.wordy.token}` };
    const request = http.get({ port, host: '127.0.0.1', path: '/api/tasks/me', headers, signal });
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    for await (const _ of response);
    return String(response.statusCode);
  }),
  'calendars of a long history': again((target, signal) => {
    const year = Date.now() - 364 * 86_400_000;
    const day = (time: number) => new Date(time).toISOString().slice(0, 10);
    const calendar = `calendar(from: "${day(year)}", to: "${day(Date.now())}") { completions }`;
    return graphql(
      target,
      { query: `{ me { ${repeat(30, (i) => `a${i}: ${calendar}`)} } }` },
      target.people.busy.token,
      signal,
    );
  }),
  'undoing in a long history': again(async (target, signal) => {
    const { token, taskId } = target.people.busy;
    const complete = `mutation { completeTask(taskId: ${taskId}) { completion { id } } }`;
    const { text } = await answered(target, { query: complete }, token, signal);
    const id = /"id":"(\d+)"/.exec(text)?.[1];
    return graphql(
      target,
      { query: `mutation { undoCompletion(id: "${id}") { completionId } }` },
      token,
      signal,
    );
  }),
  'pages of pages, from a cursor on': again((target, signal) => {
    const query = `{ tasks(first: 100) { nodes { ${repeat(3, (i) => `a${i}: completions(first: 10) { totalCount pageInfo { hasPreviousPage } nodes { task { title } } }`)} } } }`;
    return graphql(target, { query }, target.people.busy.token, signal);
  }),
  'subscriptions without end': async (target, until, report) => {
    const sockets = Array.from({ length: 20 }, () => watcher(target, 100, report));
    await sleep(2_000, undefined, { signal: until }).catch(() => {});
    const { token, taskId } = target.people.busy;
    const complete = { query: `mutation { completeTask(taskId: ${taskId}) { completion { id } } }` };
    while (!until.aborted) {
      await graphql(target, complete, token, until).then(report, () => {});
      await sleep(200, undefined, { signal: until }).catch(() => {});
    }
    for (const socket of sockets) socket.terminate();
  },
};

function watcher(
  { port, people }: Target,
  subscriptions: number,
  report: (answer: string) => void,
): WebSocket {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/graphql`, 'graphql-transport-ws');
  const send = (message: object) => socket.send(JSON.stringify(message));
  socket.on('error', () => {});
  socket.on('open', () =>
    send({ type: 'connection_init', payload: { authorization: `Bearer ${people.busy.token}` } }),
  );
  socket.on('close', (code) => report(`socket closed ${code}`));
  socket.on('message', (data) => {
    const message = JSON.parse(String(data)) as { type: string };
    if (message.type === 'error') report('subscription refused');
    if (message.type !== 'connection_ack') return;
    const query = `subscription { progressChanged { user { ${repeat(25, (i) => `a${i}: name`)} } task { title } } }`;
    for (let id = 0; id < subscriptions; id += 1)
      send({ id: String(id), type: 'subscribe', payload: { query } });
  });
  return socket;
}

export interface AttackOrder {
  target: Target;
  /** The number of clients for each attack, by its name. */
  clients: Record<string, number>;
  seconds: number;
}

async function carryOut({ target, clients, seconds }: AttackOrder): Promise<Record<string, number>> {
  const answers: Record<string, number> = {};
  const report = (answer: string) => {
    answers[answer] = (answers[answer] ?? 0) + 1;
  };
  const until = AbortSignal.timeout(seconds * 1_000);
  const running = Object.entries(clients).flatMap(([name, count]) =>
    Array.from({ length: count }, () => attacks[name]?.(target, until, report)),
  );
  await Promise.allSettled(running);
  return answers;
}

process.on('message', async (order: AttackOrder) => {
  process.send?.(await carryOut(order));
});
