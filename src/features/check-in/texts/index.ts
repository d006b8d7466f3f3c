import type { Language } from '../../../base/languages/language.js';
import { de } from './de.js';
import { type CheckInTexts, en } from './en.js';
import { es } from './es.js';
import { fr } from './fr.js';
import { ptBr } from './pt-br.js';

export type { CheckInTexts };

/** Of the page of check-in links. */
export const checkInTexts: Record<Language, CheckInTexts> = { EN: en, DE: de, ES: es, FR: fr, PT_BR: ptBr };
