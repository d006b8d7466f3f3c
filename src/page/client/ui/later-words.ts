import type { Language } from '../../../base/languages/language.js';
import type { LaterTexts } from '../../texts/later-en.js';
import { languageInUse } from './language.js';

const texts: Record<Language, () => Promise<LaterTexts>> = {
  EN: async () => (await import('../../texts/later-en.js')).en,
  DE: async () => (await import('../../texts/later-de.js')).de,
  ES: async () => (await import('../../texts/later-es.js')).es,
  FR: async () => (await import('../../texts/later-fr.js')).fr,
  PT_BR: async () => (await import('../../texts/later-pt-br.js')).ptBr,
};

/** What few visits say, in the language in use. */
export let words: LaterTexts;

/** A view with its words, which most visits do not need. */
export async function inWords<View>(view: View): Promise<View> {
  words = await texts[languageInUse()]();
  return view;
}
