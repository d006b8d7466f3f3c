import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Setting } from '../../src/base/config/setting.js';
import { chapters } from '../../src/base/config/settings.js';
import { settings, settingsOfFeatures } from '../../src/features/settings.js';
import { features } from '../../src/features.js';
import { allMetrics } from '../support/metrics.js';

const FILE = '../../docs/operate.md';

const written = readFileSync(new URL(FILE, import.meta.url), 'utf8');

const lineOf = ({ name, about, fallback, unset }: Setting<unknown>) =>
  `- \`${name}\` (${unset ?? (fallback === undefined ? 'unset' : `\`${fallback}\``)}): ${about}`;

const all: Setting<unknown>[] = Object.values(settings);

const chapter = ([title, of]: [string, Record<string, Setting<unknown>>]) => {
  const lines = Object.values(of).filter(({ instead }) => !instead);
  return [title, '', ...lines.map(lineOf)].join('\n');
};

const ofFeatures = Object.assign({}, ...settingsOfFeatures.map((each) => each.settings));

const parts: Record<string, () => Promise<string> | string> = {
  settings: () =>
    Object.entries({ ...chapters, 'What features are told': ofFeatures })
      .map(chapter)
      .join('\n\n'),
  secrets: () =>
    all.flatMap(({ name, secret }) => (secret ? `- \`${name}_FILE\` (with \`${name}\`)` : [])).join('\n'),
  metrics: async () => (await allMetrics()).map(({ name, help }) => `- \`${name}\`: ${help}`).join('\n'),
};

describe('docs/operate.md', () => {
  it('tells of every setting, secret and metric what the code knows', async () => {
    let page = written;
    for (const [name, text] of Object.entries(parts)) {
      const place = new RegExp(`(?<=<!-- ${name} -->\n)[^]*(?=<!-- end of ${name} -->)`);
      expect(page).toMatch(place);
      const list = await text();
      page = page.replace(place, () => `\n${list}\n\n`);
    }
    await expect(page).toMatchFileSnapshot(FILE);
  });

  it('has the settings that the features declare', () => {
    expect(features.flatMap((each) => each.settings ?? [])).toEqual(settingsOfFeatures);
  });
});
