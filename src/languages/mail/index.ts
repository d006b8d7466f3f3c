import type { Language } from '../language.js';
import { de } from './de.js';
import { en, type MailTexts } from './en.js';
import { es } from './es.js';
import { fr } from './fr.js';
import { ptBr } from './pt-br.js';

export type { MailText, MailTexts } from './en.js';

const texts: Record<Language, MailTexts> = { EN: en, DE: de, ES: es, FR: fr, PT_BR: ptBr };

/** A mail is written for no device: who has chosen no language is written to in English. */
export const mailTexts = (language: Language | null): MailTexts => texts[language ?? 'EN'];
