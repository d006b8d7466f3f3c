import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Setting } from '../../src/base/config/setting.js';
import { chapters } from '../../src/base/config/settings.js';
import { settings, settingsOfFeatures } from '../../src/features/settings.js';
import { features } from '../../src/features.js';
import { allMetrics } from '../support/metrics.js';

const FILE = '../../docs/operate.md';

const written = readFileSync(new URL(FILE, import.meta.url), 'utf8');

/** What holds where a setting is not set. */
const defaultOf = ({ fallback, unset }: Setting<unknown>) =>
  unset ?? (fallback === undefined ? 'unset' : `\`${fallback}\``);

const lineOf = (setting: Setting<unknown>) =>
  `- \`${setting.name}\` (${defaultOf(setting)}): ${setting.about}`;

const all: Setting<unknown>[] = Object.values(settings);

const ofFeatures = settingsOfFeatures.flatMap((each) => Object.values(each.settings));

const parts: Record<string, () => Promise<string> | string> = {
  settings: () =>
    [...Object.entries(chapters), ['What features are told', ofFeatures] as const]
      .map(([title, of]) =>
        [
          title,
          '',
          ...Object.values<Setting<unknown>>(of)
            .filter(({ instead }) => !instead)
            .map(lineOf),
        ].join('\n'),
      )
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
