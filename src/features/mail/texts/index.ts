import type { Language } from '../../../base/languages/language.js';
import { de } from './de.js';
import { en, type MailTexts } from './en.js';
import { es } from './es.js';
import { fr } from './fr.js';
import { ptBr } from './pt-br.js';

export type { MailText, MailTexts } from './en.js';

export const mailTexts: Record<Language, MailTexts> = { EN: en, DE: de, ES: es, FR: fr, PT_BR: ptBr };
