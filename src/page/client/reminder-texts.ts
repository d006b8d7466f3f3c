import type { Language } from '../../languages/language.js';
import type { ReminderTexts } from '../../languages/page/reminders-en.js';
import { languageInUse } from './language.js';

const texts: Record<Language, () => Promise<ReminderTexts>> = {
  EN: async () => (await import('../../languages/page/reminders-en.js')).en,
  DE: async () => (await import('../../languages/page/reminders-de.js')).de,
  ES: async () => (await import('../../languages/page/reminders-es.js')).es,
  FR: async () => (await import('../../languages/page/reminders-fr.js')).fr,
  PT_BR: async () => (await import('../../languages/page/reminders-pt-br.js')).ptBr,
};

/** These texts on reminders and check-in links are in the language in use. */
export let words: ReminderTexts;

/** A view with its words, which most visits do not need. */
export async function inWords<View>(view: View): Promise<View> {
  words = await texts[languageInUse()]();
  return view;
}
