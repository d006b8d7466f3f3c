import type { GraphQLClient } from 'graphql-request';
import { SEND } from './documents.ts';
import type { CompletionInput } from './gql/graphql.ts';
import { untilAnswered } from './retry.ts';

/** What is kept on the device at a tap without a network: the key and the time are those of the tap. */
export const kept = (taskId: string, now: Date): CompletionInput => ({
  taskId,
  idempotencyKey: crypto.randomUUID(),
  at: now.toISOString(),
});

interface Refused extends CompletionInput {
  reason: string;
}

/** Sends at most 100 taps. Resolves when each was counted or refused: then all may be forgotten. */
export async function sendKept(client: GraphQLClient, taps: CompletionInput[]): Promise<Refused[]> {
  const { completeTasks } = await untilAnswered(() => client.request(SEND, { taps }));
  return taps.flatMap((tap, index) => {
    const reason = completeTasks?.results[index]?.error?.reason;
    return reason ? [{ ...tap, reason }] : [];
  });
}
