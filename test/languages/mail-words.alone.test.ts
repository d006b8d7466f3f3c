import { expect, it } from 'vitest';
import { mailTexts } from '../../src/features/mail/texts/index.js';
import { de } from '../../src/page/texts/de.js';
import { en } from '../../src/page/texts/en.js';
import { es } from '../../src/page/texts/es.js';
import { fr } from '../../src/page/texts/fr.js';
import { ptBr } from '../../src/page/texts/pt-br.js';

const pages = { EN: en, DE: de, ES: es, FR: fr, PT_BR: ptBr };

const plain = (text: string) => text.replaceAll(/\s/gu, ' ');

const named = (advice: string) =>
  [...plain(advice).matchAll(/[„«“] ?(.+?) ?[“»”]/gu)].map(([, words]) => words);

it.each(Object.entries(pages))('The buttons that mails name are called so on the page: %s', (name, page) => {
  const mails = mailTexts[name as keyof typeof pages];
  for (const { advice } of [mails.firstPassword, mails.passwordChanged])
    expect(named(advice)).toEqual([plain(page.back.forgotten)]);
  for (const { advice } of [mails.webhookSet, mails.webhookPaused])
    expect(named(advice)).toEqual([page.account.title, 'Webhooks']);
});
