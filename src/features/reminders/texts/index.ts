import type { Language } from '../../../base/languages/language.js';
import { de } from './de.js';
import { en, type MessageTexts } from './en.js';
import { es } from './es.js';
import { fr } from './fr.js';
import { ptBr } from './pt-br.js';

export type { MessageTexts };

/** Of the messages that reminders send. */
export const messageTexts: Record<Language, MessageTexts> = { EN: en, DE: de, ES: es, FR: fr, PT_BR: ptBr };
