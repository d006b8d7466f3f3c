import {
  Client,
  type JsonSchemaType,
  type JsonSchemaValidator,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { expect, onTestFinished } from 'vitest';
import { ApiScope } from '../../src/base/scopes.js';
import { type TestUser, worldOf } from '../support/world.js';

const ALL = Object.values(ApiScope);

export async function tokenOf(user: TestUser, scopes: readonly string[] = ALL): Promise<string> {
  const { createApiToken } = await user.query(
    'mutation ($scopes: [ApiScope!]!) { createApiToken(input: { name: "Agent", scopes: $scopes }) { token } }',
    { scopes },
  );
  return createApiToken.token;
}

const compiled = new Map<string, JsonSchemaValidator<unknown>>();
const compiler = new AjvJsonSchemaValidator();

/** Compiles each schema once, which takes longer than all that most tests ask: the tools are the same for every agent. */
const jsonSchemaValidator = {
  getValidator<T>(schema: JsonSchemaType): JsonSchemaValidator<T> {
    const text = JSON.stringify(schema);
    const validator = compiled.get(text) ?? compiler.getValidator(schema);
    compiled.set(text, validator);
    return validator as JsonSchemaValidator<T>;
  },
};

/** An agent on the protocol's own client, which checks each answer by the schema of its tool. */
export async function agentWith(base: string, token: string, isOld = false) {
  const transport = new StreamableHTTPClientTransport(new URL(`${base}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  const mode = isOld ? 'legacy' : { pin: '2026-07-28' };
  const client = new Client(
    { name: 'tests', version: '1' },
    { versionNegotiation: { mode }, jsonSchemaValidator },
  );
  await client.connect(transport);
  onTestFinished(() => client.close());
  const { tools } = await client.listTools();
  const outputs = new Map(tools.map((tool) => [tool.name, tool.outputSchema]));
  /** `text`: all that a model reads. */
  const calls = async (name: string, args: Record<string, unknown> = {}) => {
    const { isError = false, content, structuredContent } = await client.callTool({ name, arguments: args });
    const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
    return { isError, text, data: structuredContent as any };
  };
  /** Answers what the tool has done. */
  const does = async (name: string, args?: Record<string, unknown>) => {
    const told = await calls(name, args);
    expect(told, told.text).toMatchObject({ isError: false });
    expect(JSON.parse(told.text)).toEqual(told.data);
    expect(undescribed(outputs.get(name) as Schema, told.data), name).toEqual([]);
    return told.data;
  };
  /** Answers why the tool was refused. */
  const isRefused = async (name: string, args?: Record<string, unknown>) => {
    const { isError, text, data } = await calls(name, args);
    expect(isError, text).toBe(true);
    expect(text).toContain(`${data.refusal.message} (${data.refusal.reason})`);
    return data.refusal;
  };
  return { client, tools, calls, does, isRefused };
}

interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
}

/** Fields of an answer of which its schema says nothing. */
function undescribed({ properties, items }: Schema, value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => (items ? undescribed(items, each, path) : []));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => {
    const place = `${path}.${name}`;
    const schema = properties?.[name];
    return schema ? undescribed(schema, part, place) : [place];
  });
}

/** Somebody, and an agent of theirs. */
export async function withAgent(scopes?: readonly string[]) {
  const here = await worldOf('ana');
  const token = await tokenOf(here.ana, scopes);
  return { ...here, token, agent: await agentWith(here.base, token) };
}

/** A habit, made as the page makes it. */
export async function habitOf(user: TestUser, input: Record<string, unknown> = {}): Promise<string> {
  const { createTask } = await user.query(
    'mutation ($input: CreateTaskInput!) { createTask(input: $input) { task { id } } }',
    { input: { title: 'Swim', ...input } },
  );
  return createTask.task.id;
}
