import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { worldOf } from '../support/world.js';
import { agentWith, habitOf, withAgent } from './agent.js';

const page = readFileSync('docs/agents.md', 'utf8');

const snippets = (language: string) =>
  [...page.matchAll(new RegExp(`^ *\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'gm'))].map(
    ([, text = '']) => text,
  );

describe('docs/agents.md', () => {
  it('makes a token that comes in, and sends a call that completes', async () => {
    const { ana, base, rest } = await worldOf('ana');
    await habitOf(ana);
    const [mutation = ''] = snippets('graphql');
    const { token } = (await ana.query(mutation)).createApiToken;
    const [, curl = ''] = snippets('sh');
    const [, body = ''] = /-d '(.*)'/.exec(curl) ?? [];
    const { status, body: answer } = await rest.as(token).post('/mcp', body);
    expect([status, answer.result.structuredContent.habit.title]).toEqual([200, 'Swim']);
    const agent = await agentWith(base, token);
    expect((await agent.does('today', { show: 'OPEN' })).habits).toEqual([]);
    const [config = ''] = snippets('json');
    expect(JSON.parse(config).mcpServers.steady.args).toContain('https://habits.example.com/mcp');
  });

  it('has the tools with their scopes and hints', async () => {
    const { agent } = await withAgent(['PROFILE']);
    const { tools } = agent;
    const rows = [...page.matchAll(/^\| `(\w+)` \| .* \| `([A-Z]+)` \| (.*) \|$/gm)];
    expect(rows.map(([, name]) => name)).toEqual(tools.map(({ name }) => name));
    for (const [at, [, name = '', scope, hints = '']] of rows.entries()) {
      const { readOnlyHint, destructiveHint, idempotentHint } = tools[at]?.annotations ?? {};
      expect(readOnlyHint, name).toBe(hints === 'reads');
      expect(destructiveHint, name).toBe(hints.startsWith('destroys'));
      expect(idempotentHint, name).toBe(readOnlyHint || hints.includes('again the same'));
      const { message } = await agent.isRefused(name, { habit: 'Swim' });
      expect(message, name).toBe(`The API token lacks the scope ${scope}`);
    }
  });
});
