import type { Language } from '../../../base/languages/language.js';
import type { ReminderTexts } from '../../texts/reminders-en.js';
import { languageInUse } from '../ui/language.js';

const texts: Record<Language, () => Promise<ReminderTexts>> = {
  EN: async () => (await import('../../texts/reminders-en.js')).en,
  DE: async () => (await import('../../texts/reminders-de.js')).de,
  ES: async () => (await import('../../texts/reminders-es.js')).es,
  FR: async () => (await import('../../texts/reminders-fr.js')).fr,
  PT_BR: async () => (await import('../../texts/reminders-pt-br.js')).ptBr,
};

/** What few visits say, in the language in use. */
export let words: ReminderTexts;

/** A view with its words, which most visits do not need. */
export async function inWords<View>(view: View): Promise<View> {
  words = await texts[languageInUse()]();
  return view;
}
