import { expect, it } from 'vitest';
import { findingsEverywhere } from '../support/axe.js';
import { REMINDING, stageForTests } from '../support/page.js';
import { needs } from '../support/tools.js';

const stage = stageForTests(REMINDING);

it.each(['light', 'dark'] as const)(
  'The page has nothing that axe finds, in %s',
  needs('Chromium'),
  async (scheme) => {
    expect(await findingsEverywhere(stage, scheme)).toEqual([]);
  },
);
