import { expect, it } from 'vitest';
import { answersAtOnce, twoProcesses } from '../support/at-once.js';
import { withServer } from '../support/with-server.js';
import { signUp, TestUser } from '../support/world.js';

const server = withServer();

const ONCE = `mutation ($id: ID!, $key: String) {
  completeTask(taskId: $id, idempotencyKey: $key, once: true) { isReplayed task { completionCount } user { points } }
}`;

it('Two processes of the built service count a habit once that is tapped on two devices at once', async () => {
  const databaseUrl = await server.newDatabase();
  const { here, there } = await twoProcesses(databaseUrl);
  const ana = await signUp(here);
  const other = new TestUser(there.base, ana.token, ana.account);
  const { id } = await ana.hasTask();
  const taps = () =>
    [ana, other, ana, other, ana, other].map((device, number) =>
      device.query(ONCE, { id, key: number < 2 ? undefined : `tap-${number}` }),
    );
  const done = (await answersAtOnce(databaseUrl, ana.id, taps)).map(({ completeTask }) => completeTask);
  expect(done.map(({ isReplayed }) => isReplayed).sort()).toEqual([false, true, true, true, true, true]);
  for (const { task, user } of done) expect([task.completionCount, user.points]).toEqual([1, 10]);
});
