import { beforeAll, expect, it } from 'vitest';
import { findingsEverywhere } from '../support/axe.js';
import { openStage, type Stage } from '../support/page.js';
import { has, needs } from '../support/tools.js';

let stage: Stage;

beforeAll(async () => {
  if (!has('Chromium')) return;
  stage = await openStage();
  return stage.close;
});

it('The page has nothing that axe finds, in dark', needs('Chromium'), async () => {
  expect(await findingsEverywhere(stage, 'dark')).toEqual([]);
});
