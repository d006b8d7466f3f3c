import { type Drift } from '../../src/features/history/completions/recount.js';
import { Verification } from '../../src/features/history/completions/verification.js';
import type { TestUser, World } from './world.js';

/** What `streaks:verify` finds, of everybody or of one user. */
export async function driftsOf(
  { database, clock }: Pick<World, 'database' | 'clock'>,
  user?: Pick<TestUser, 'id'>,
): Promise<Drift[]> {
  const found: Drift[] = [];
  for await (const drift of new Verification(database, clock).run()) found.push(drift);
  return user ? found.filter(({ userId }) => userId === user.id) : found;
}
