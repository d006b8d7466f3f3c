import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Logger } from 'pino';
import { Refusal } from '../../base/errors.js';
import { currentVisit } from '../../base/request.js';
import { assertMay } from '../../base/scopes.js';
import { refusalOf } from '../../database/outcome.js';
import { publicOf, refusedFieldsOf } from '../../graphql/reason.js';
import type { AccountService } from '../account/account.service.js';
import { argumentsOf } from './arguments.js';
import { SeveralFit } from './habit-names.js';
import type { CallTool } from './mcp.js';

/** How arguments are called here that services know by other names. */
const NAMES: Record<string, string> = {
  at: 'day',
  date: 'day',
  taskId: 'habit',
  idempotencyKey: 'key',
  id: 'completionId',
};

/** Calls tools. Whatever goes wrong is a result: words with their reason, which an agent can act on. */
export const callTools =
  (accounts: Pick<AccountService, 'unlessGone'>, log: Logger): CallTool =>
  async (tool, caller, given) => {
    try {
      const answered = await accounts.unlessGone(caller.userId, () => {
        assertMay(caller.scopes, tool.access);
        return tool.call(caller, argumentsOf(tool.inputSchema, given));
      });
      return { content: [asText(answered)], structuredContent: { ...answered } };
    } catch (error) {
      const refusal = error instanceof Refusal ? error : refusalOf(error);
      if (!refusal) log.error({ err: error, tool: tool.name }, 'A tool failed');
      return refused(refusal ?? new Refusal('unavailable', 'INTERNAL', 'Internal server error'), given);
    }
  };

function refused(refusal: Refusal, given: unknown): CallToolResult {
  const told = publicOf(refusal);
  const { reason, message, details } = told;
  const trail = currentVisit()?.trail;
  if (trail) trail.reason = reason;
  const habits = refusal instanceof SeveralFit ? refusal.named : [];
  const structured = {
    refusal: {
      ...{ reason, message },
      fields: refusedFieldsOf(told).map((field) => ({ ...field, name: nameIn(given, field.name) })),
      habits,
      retryAfter: details.retryAfter ?? null,
      outcome: details.outcome ?? null,
    },
  };
  const words = { type: 'text' as const, text: `${message} (${reason})` };
  return { content: [words, asText(structured)], structuredContent: structured, isError: true };
}

const nameIn = (given: unknown, name: string) =>
  Object.hasOwn(Object(given), name) ? name : (NAMES[name] ?? name);

const asText = (value: object) => ({ type: 'text' as const, text: JSON.stringify(value) });
