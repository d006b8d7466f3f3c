import type { Clock } from '../../base/clock.js';
import type { Database } from '../../database/database.js';
import { whereEmail } from '../account/account.queries.js';
import { noAccount } from '../account/account.refusals.js';
import { digestOf, newSecret } from '../account/secret.js';
import { deleteLinks, insertLink, type LinkTables, lockPerson } from './account-link.queries.js';
import { linkTo } from './account-mails.js';

/** How long a link is good that the operator hands over. */
const GOOD_MS = 24 * 60 * 60 * 1_000;

/** For the operator: a link with which somebody chooses a new password. It ends all earlier ones. */
export async function printedResetLink(
  database: Database,
  clock: Clock,
  { email, publicUrl }: { email: string; publicUrl: string },
): Promise<{ link: string; expiresAt: Date }> {
  const [secret, createdAt] = [newSecret(), clock.now()];
  const expiresAt = new Date(createdAt.getTime() + GOOD_MS);
  await database.transaction(async (tx) => {
    const query = tx.getKysely<LinkTables>();
    const found = await query.selectFrom('users').select('id').where(whereEmail(email)).executeTakeFirst();
    if (!found || !(await lockPerson(query, found.id))) throw noAccount(email);
    await deleteLinks(query, found.id, ['RESET']);
    const link = { userId: found.id, purpose: 'RESET' as const, digest: digestOf(secret), email: null };
    await insertLink(query, { ...link, createdAt, expiresAt });
  });
  return { link: linkTo(publicUrl, 'RESET', secret), expiresAt };
}
