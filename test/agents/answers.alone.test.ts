import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import pino from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import type { Caller } from '../../src/base/scopes.js';
import { agentRoutes } from '../../src/features/agents/agents.routes.js';
import { answerOn } from '../../src/features/agents/mcp.js';
import type { Tool } from '../../src/features/agents/tools.js';
import { configOf } from '../support/database.js';
import { RestClient } from '../support/world.js';

const CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'today', arguments: {} } };

it('What is not answered in the time of its request is refused as too late', async () => {
  const routes = agentRoutes({
    config: { ...configOf(), timeouts: { databaseTime: 50 } },
    callers: { identify: async () => ({ userId: 'ana', scopes: ['READ'] }) as unknown as Caller },
    trusts: () => false,
    log: pino({ level: 'silent' }),
    load: async () =>
      answerOn([{ name: 'today', inputSchema: { type: 'object' } } as Tool], () => new Promise(() => {})),
  });
  const server = express().use(routes).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const rest = new RestClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  for (const body of [CALL, [CALL, { ...CALL, id: 2 }]]) {
    const answer = await rest.post('/mcp', body);
    expect([answer.status, answer.body]).toEqual([
      503,
      {
        ...{ jsonrpc: '2.0', id: null },
        error: { code: -32000, message: expect.any(String), data: { reason: 'OVERLOADED' } },
      },
    ]);
  }
});
