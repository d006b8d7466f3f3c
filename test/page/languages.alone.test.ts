/// <reference lib="dom" />

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { feedReasons } from '../../src/features/event-feed/reasons.js';
import { webhookReasons } from '../../src/features/webhooks/reasons.js';
import { reasons } from '../../src/features.js';
import { languageOfDevice, speak, t } from '../../src/page/client/ui/language.js';
import { de } from '../../src/page/texts/de.js';
import { en } from '../../src/page/texts/en.js';
import { es } from '../../src/page/texts/es.js';
import { fr } from '../../src/page/texts/fr.js';
import { de as deLater } from '../../src/page/texts/later-de.js';
import { en as enLater } from '../../src/page/texts/later-en.js';
import { es as esLater } from '../../src/page/texts/later-es.js';
import { fr as frLater } from '../../src/page/texts/later-fr.js';
import { ptBr as ptBrLater } from '../../src/page/texts/later-pt-br.js';
import { ptBr } from '../../src/page/texts/pt-br.js';

/** The names of all texts, and those that have no words. */
function namesOf(texts: object, before = ''): string[] {
  return Object.entries(texts).flatMap(([name, text]) => {
    if (text === '') return `${before}${name} is empty`;
    return typeof text === 'object' ? namesOf(text, `${before}${name}.`) : `${before}${name}`;
  });
}

describe('The languages of the page', () => {
  it.each([
    ...[de, es, fr, ptBr].map((texts) => [en, texts]),
    ...[deLater, esLater, frLater, ptBrLater].map((texts) => [enLater, texts]),
  ] as [object, object][])('have all texts', (english, texts) => {
    expect(namesOf(texts).sort()).toEqual(namesOf(english).sort());
  });

  it('say every reason of a refusal, and those for which a webhook is refused where webhooks are', () => {
    const { HAS_WEBHOOKS: _ofFeed, ...ofWebhooks } = webhookReasons;
    const later = [...Object.keys(ofWebhooks), 'FEED_TRUNCATED'];
    expect(Object.keys(enLater.webhooks.reasons).sort()).toEqual(later.sort());
    // REST alone says the first, and the page has no feed.
    const others = ['TASK_OF_ANOTHER', ...Object.keys({ ...feedReasons, ...webhookReasons })];
    const said = Object.keys(reasons).filter((name) => !others.includes(name));
    expect(Object.keys(en.reasons).sort()).toEqual(said.sort());
  });

  it('write numbers and plurals each in its way', () => {
    expect([en, de, es, fr, ptBr].map((texts) => texts.days(1))).toEqual([
      ...['1 day', '1 Tag', '1 día', '1 jour', '1 dia'],
    ]);
    expect([en, de, fr].map((texts) => texts.days(0))).toEqual(['0 days', '0 Tage', '0 jour']);
    expect([en, de].map((texts) => texts.number(1234.5))).toEqual(['1,234.5', '1.234,5']);
    expect([en, de, fr].map((texts) => texts.habit.daysOf(1, 2))).toEqual([
      ...['1 of 2 days', '1 von 2 Tagen', '1 jour sur 2'],
    ]);
    expect([en, fr].map(({ said }) => said('Read', 'done'))).toEqual(['Read: done', 'Read\u00a0: done']);
    expect([en, de].map((texts) => texts.habit.daysOf(1, 0))).toEqual(['1 day', '1 Tag']);
  });

  it('count what else is wrong with a file', () => {
    const said = (count: number) => [en, de, es, fr, ptBr].map(({ account }) => account.moreFaults(count));
    expect(said(1).slice(0, 2)).toEqual(['and 1 more found', 'und 1 weitere gefunden']);
    for (const words of said(95)) expect(words).toContain('95');
  });

  it('begin no sentence after a colon where the language begins none there', () => {
    expect([es, fr, ptBr].map(({ said, list }) => said('x', list.allDone(2)))).toEqual([
      ...['x: todo hecho. ¡Muy bien!', 'x\u00a0: tout est fait. Bravo\u202f!', 'x: tudo feito. Muito bem!'],
    ]);
    expect([en, de].map(({ said }) => said('x', 'Y'))).toEqual(['x: Y', 'x: Y']);
  });

  it('write no sign of French punctuation after a space at which a line may break', () => {
    const { pathname } = new URL('../../src/page/texts/fr.ts', import.meta.url);
    const words = readFileSync(pathname, 'utf8').replace(/\$\{[^}]*\}|=> \(.*/g, 'x');
    const quoted = words.match(/'[^']*'|`[^`]*`/g) ?? [];
    expect(quoted.filter((text) => / [:;!?»]|« /.test(text))).toEqual([]);
  });

  it('are chosen by the person, otherwise by the device, and are English for all others', async () => {
    expect(languageOfDevice(['nl-NL', 'pt-PT', 'en'])).toBe('PT_BR');
    expect(languageOfDevice(['nl'])).toBe('EN');
    await speak('FR', ['de']);
    expect(t).toBe(fr);
    await speak(null, ['de-AT']);
    expect(t).toBe(de);
  });
});
