import { Migration } from '@mikro-orm/migrations';
import { describe, expect, it } from 'vitest';
import { model } from '../../mikro-orm.config.js';
import { BASELINE, inOrder, knownTo } from '../../src/database/migrations.js';
import { features } from '../../src/features.js';

class Anything extends Migration {
  override up(): void {}
}

const named = (...names: string[]) => names.map((name) => ({ name, class: Anything }));

describe('Migrations', () => {
  it('are applied by their days, whichever feature declares them, behind the baseline', () => {
    const list = inOrder(named('2027-02-01_colours', '2026-12-24_mottoes', BASELINE, '2027-01-05_tags'));
    expect(knownTo({ migrationsList: list })).toEqual([
      ...[BASELINE, '2026-12-24_mottoes', '2027-01-05_tags', '2027-02-01_colours'],
    ]);
  });

  it('are those that the features declare, each named after a day of its own', () => {
    const [first, ...declared] = knownTo(model.migrations);
    expect(first).toBe(BASELINE);
    expect(declared.toSorted()).toEqual(
      features.flatMap(({ migrations = [] }) => migrations.map(({ name }) => name)).sort(),
    );
    expect(declared.filter((name) => !/^\d{4}-\d\d-\d\d_[a-z_]+$/.test(name))).toEqual([]);
    expect(new Set(declared).size).toBe(declared.length);
  });
});
