import { describe, expect, it } from 'vitest';
import { type Api, apis, endings, type Row, refused, worldOf } from '../support/apis.js';

const oneIsActive = (api: Api) =>
  refused(
    'invalid',
    api === 'REST' ? 'Você já possui um desafio ativo' : 'You have an active challenge already',
  );

describe.each(apis)('Accepting a challenge, over %s', (api) => {
  it('starts an ACTIVE challenge that its user has from then on', async () => {
    const { ana, clock } = await worldOf(api, 'ana');
    expect(await ana.activeChallenge()).toBeNull();
    const now = '2026-12-03T04:05:06.789Z';
    clock.set(now);
    const challenge = await ana.accepts(2);
    expect(challenge).toEqual({
      ...{ id: expect.stringMatching(/^[1-9]\d*$/), templateId: '2', status: 'ACTIVE' },
      ...{ startDate: now, completedAt: null, notes: null, createdAt: now, updatedAt: now },
    });
    expect(await ana.activeChallenge()).toMatchObject(challenge);
  });

  it('succeeds for only one of many requests at once', async () => {
    const { ana } = await worldOf(api, 'ana');
    const answers = await Promise.allSettled([1, 2, 3, 4, 5, 6].map((template) => ana.accepts(template)));
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status === 'rejected')) {
      expect(answer).toMatchObject({ reason: oneIsActive(api) });
    }
    expect(await ana.challenges()).toHaveLength(1);
  });
});

describe.each(apis)('The list of challenges, over %s', (api) => {
  it('has the caller’s challenges in every status with their templates, newest start first', async () => {
    const { ana, bea, clock } = await worldOf(api, 'ana', 'bea');
    await bea.accepts(7);
    expect(await ana.challenges()).toEqual([]);
    const templates = await ana.templates();
    const made: Row[] = [];
    for (const [ending, templateId] of [
      ['COMPLETED', 1],
      ['ABANDONED', 2],
      [undefined, 3],
    ] as const) {
      clock.advance({ days: 1 });
      const accepted = await ana.accepts(templateId);
      const challenge = ending ? await ana.ends(accepted, ending) : accepted;
      const { createdAt: _, updatedAt: __, ...template } = templates[7 - templateId] as Row;
      made.unshift({ ...challenge, template });
    }
    expect(await ana.challenges()).toEqual(made);
    expect(made.map(({ status }) => status)).toEqual(['ACTIVE', 'ABANDONED', 'COMPLETED']);
  });

  it('is ordered by start, then by id', async () => {
    const { ana, clock } = await worldOf(api, 'ana');
    const ids: string[] = [];
    for (const ms of [0, 0, -1]) {
      clock.advance({ ms });
      const challenge = await ana.accepts();
      ids.push(challenge.id);
      await ana.ends(challenge, 'ABANDONED');
    }
    expect((await ana.challenges()).map(({ id }) => id)).toEqual([ids[1], ids[0], ids[2]]);
  });
});

describe.each(apis)('Notes, over %s', (api) => {
  it('replace earlier ones, refresh the time of the update, and may be written when it has ended', async () => {
    const { ana, clock } = await worldOf(api, 'ana');
    const before = await ana.accepts();
    let expected = before;
    for (const notes of ['Day one', ' Day two\n😀 ', '', '😀'.repeat(10_000)]) {
      clock.advance({ hours: 1 });
      expected = { ...before, notes, updatedAt: clock.now().toISOString() };
      expect(await ana.notes(before, notes)).toEqual(expected);
      expect(await ana.activeChallenge()).toMatchObject(expected);
    }
    const ended = await ana.ends(before, 'ABANDONED');
    expect(ended).toEqual({ ...expected, status: 'ABANDONED' });
    expect(await ana.notes(before, 'Looking back')).toEqual({ ...ended, notes: 'Looking back' });
  });
});

describe.each(apis)('Ending a challenge, over %s', (api) => {
  it.each(endings)('makes it %s, however late, and done again changes nothing', async (ending) => {
    const { clock, renewed, ...here } = await worldOf(api, 'ana');
    const before = await here.ana.accepts(6); // of a day
    clock.advance({ days: 100 });
    const ana = renewed(here.ana);
    expect(await ana.activeChallenge()).toMatchObject(before);
    const now = clock.now().toISOString();
    const completedAt = ending === 'COMPLETED' ? now : null;
    const expected = { ...before, status: ending, completedAt, updatedAt: now };
    for (const hours of [0, 1]) {
      clock.advance({ hours });
      expect(await ana.ends(before, ending)).toEqual(expected);
    }
    expect(await ana.challenges()).toMatchObject([expected]);
    expect(await ana.activeChallenge()).toBeNull();
  });
});
