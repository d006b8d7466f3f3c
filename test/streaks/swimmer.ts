import { expect } from 'vitest';
import { type WorldOptions, world } from '../support/world.js';

/** Someone who swims for 2.5 points, whenever it is. */
export async function swimmer(options?: WorldOptions) {
  const here = await world(options);
  const ana = await here.newUser();
  const swim = await ana.hasTask({ points: 2.5 });
  const me = () => here.renewed(ana);
  const completesAt = async (...instants: string[]) => {
    for (const iso of instants) {
      here.clock.set(iso);
      expect(await me().completes(swim)).toMatchObject({
        status: 201,
        body: { completed_at: new Date(iso).toISOString() },
      });
    }
  };
  return { ...here, ana, me, swim, completesAt };
}
