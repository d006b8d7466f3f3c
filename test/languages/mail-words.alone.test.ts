import { expect, it } from 'vitest';
import { mailTexts } from '../../src/languages/mail/index.js';
import { de } from '../../src/languages/page/de.js';
import { en } from '../../src/languages/page/en.js';
import { es } from '../../src/languages/page/es.js';
import { fr } from '../../src/languages/page/fr.js';
import { ptBr } from '../../src/languages/page/pt-br.js';

const pages = { EN: en, DE: de, ES: es, FR: fr, PT_BR: ptBr };

const plain = (text: string) => text.replaceAll(/\s/gu, ' ');

it.each(Object.entries(pages))('The buttons that mails name are called so on the page: %s', (name, page) => {
  const { firstPassword, passwordChanged } = mailTexts[name as keyof typeof pages];
  for (const { advice } of [firstPassword, passwordChanged])
    expect(/[„«“] ?(.+?) ?[“»”]/u.exec(plain(advice))?.[1]).toBe(plain(page.back.forgotten));
});
