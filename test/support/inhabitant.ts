import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { withFeed } from './feed.js';
import type { Asker } from './operations.js';
import type { TestUser, World } from './world.js';

const MADE = `mutation ($id: ID!, $other: ID!, $mark: String!) {
  ofTask: createPause(input: { taskId: $id, from: "2026-12-01", note: $mark }) { pause { id } }
  ofAll: createPause(input: { from: "2027-01-01", note: $mark }) { pause { id } }
  skipDay(taskId: $other, date: "2026-11-22", note: $mark) { date }
  one: createCheckInLink(taskId: $id, name: $mark) { link { id } }
  two: createCheckInLink(taskId: $other, name: $mark) { link { id } }
  createCalendarFeed(input: { name: $mark }) { calendar { id } }
  createApiToken(input: { name: $mark, scopes: [READ] }) { apiToken { id } }
}`;

/** By the table: most services of tests have nothing to send by. */
async function hasChannel({ database }: World, userId: string, mark: string): Promise<string> {
  const id = randomUUID();
  await sql`
    insert into channels (id, user_id, kind, name, host, address, token, state, created_at)
    values (${id}::uuid, ${userId}::uuid, 'NTFY', ${mark}, 'ntfy', ${mark}, ${mark}, 'WORKING', now())`.execute(
    database.query(),
  );
  return id;
}

/** Someone with two of everything, all of it named so that it is known wherever it turns up. */
export async function inhabitant(here: World, user: TestUser, templateId: number, mark = user.account.name) {
  await withFeed(user);
  const ended = await user.hasAccepted(templateId + 1);
  await user.rest.put(`/api/user-challenges/${ended.id}/abandon`);
  const active = await user.hasAccepted(templateId);
  await user.rest.put(`/api/user-challenges/${active.id}/notes`, { notes: mark });
  const task = { title: mark, description: mark, challenge_template_id: templateId };
  const [one, two] = [await user.hasTask(task), await user.hasTask(task)];
  const completions: number[] = [];
  for (const [index, each] of [one, two, one, two].entries())
    completions.push((await user.completes(each, { 'idempotency-key': `${mark}-${index}` })).body.id);
  const made = await user.query(MADE, { id: one.id, other: two.id, mark });
  const ids: Record<string, (number | string)[]> = {
    task: [one.id, two.id],
    challenge: [active.id, ended.id],
    completion: completions,
    template: [templateId],
    pause: [made.ofTask.pause.id, made.ofAll.pause.id],
    link: [made.one.link.id, made.two.link.id],
    channel: [await hasChannel(here, user.id, mark)],
    calendar: [made.createCalendarFeed.calendar.id],
    token: [made.createApiToken.apiToken.id],
  };
  const asker: Asker = {
    idOf: (kind, draw) => draw(ids[kind] ?? []),
    email: () => `${randomUUID()}@example.com`,
  };
  return { user, mark, ids, asker };
}
