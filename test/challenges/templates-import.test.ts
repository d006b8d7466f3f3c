import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { TemplateService } from '../../src/features/challenges/template.service.js';
import { worldOf } from '../support/world.js';

async function office() {
  const { ana, database, clock } = await worldOf('ana');
  const templates = new TemplateService(database);
  const listed = async (titles: string[]) =>
    (await templates.list(ana.id)).filter(({ title }) => titles.includes(title));
  return { templates, listed, now: clock.now() };
}

const template = (durationDays: number, description = 'No drop.') => ({
  title: `Dry ${randomUUID()}`,
  ...{ description, durationDays },
});

describe('Templates of the operator', () => {
  it('are added, the last as the newest, and updated by their title', async () => {
    const { templates, listed, now } = await office();
    const [first, second] = [template(31), template(7)];
    const titles = [first.title, second.title];
    expect(await templates.bringIn([first, second], now)).toEqual({ added: 2, changed: 0 });
    expect(await listed(titles)).toMatchObject([second, first]);
    expect(await templates.bringIn([first, second], now)).toEqual({ added: 0, changed: 0 });
    const later = new Date(now.getTime() + 1_000);
    const changed = { ...first, durationDays: 30 };
    expect(await templates.bringIn([changed, second], later)).toEqual({ added: 0, changed: 1 });
    expect(await listed(titles)).toMatchObject([second, { ...changed, createdAt: now, updatedAt: later }]);
  });

  it('come all or none', async () => {
    const { templates, listed, now } = await office();
    const [good, bad] = [template(31), template(0)];
    await expect(templates.bringIn([good, bad], now)).rejects.toThrow();
    expect(await listed([good.title, bad.title])).toEqual([]);
  });

  it('are added once by two imports at the same time', async () => {
    const { templates, listed, now } = await office();
    const own = template(31);
    await Promise.all([templates.bringIn([own], now), templates.bringIn([own], now)]);
    expect(await listed([own.title])).toHaveLength(1);
  });
});
