import { Migration } from '@mikro-orm/migrations';
import { expect, it } from 'vitest';
import { model } from '../../mikro-orm.config.js';
import { BASELINE, inOrder, knownTo } from '../../src/database/migrations.js';
import { features } from '../../src/features.js';

class Anything extends Migration {
  override up(): void {}
}

it('Migrations are applied by their days, whichever feature declares them, behind the baseline', () => {
  const named = ['2027-02-01_colours', '2026-12-24_mottoes', BASELINE, '2027-01-05_tags'];
  const list = inOrder(named.map((name) => ({ name, class: Anything })));
  expect(knownTo({ migrationsList: list })).toEqual([
    BASELINE,
    ...named.filter((name) => name !== BASELINE).sort(),
  ]);
});

it('Migrations are those that the features declare, each named after a day of its own', () => {
  const [first, ...declared] = knownTo(model.migrations);
  expect(first).toBe(BASELINE);
  const ofFeatures = features.flatMap(({ migrations = [] }) => migrations.map(({ name }) => name));
  expect(declared.toSorted()).toEqual([...new Set(ofFeatures)].sort());
  expect(declared.filter((name) => !/^\d{4}-\d\d-\d\d_[a-z_]+$/.test(name))).toEqual([]);
});
