import { expect, it } from 'vitest';
import { findingsEverywhere } from '../support/axe.js';
import { stageForTests } from '../support/page.js';
import { needs } from '../support/tools.js';

const stage = stageForTests();

it('The page has nothing that axe finds, in dark', needs('Chromium'), async () => {
  expect(await findingsEverywhere(stage, 'dark')).toEqual([]);
});
