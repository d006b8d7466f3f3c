import type { Language } from '../../../base/languages/language.js';
import { de } from './de.js';
import { type CalendarFeedTexts, en } from './en.js';
import { es } from './es.js';
import { fr } from './fr.js';
import { ptBr } from './pt-br.js';

export type { CalendarFeedTexts };

/** Of what stands in a calendar. */
export const calendarFeedTexts: Record<Language, CalendarFeedTexts> = {
  ...{ EN: en, DE: de, ES: es, FR: fr, PT_BR: ptBr },
};
