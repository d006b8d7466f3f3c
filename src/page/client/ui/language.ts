import { languageOf, tagOf } from '../../../base/languages/choice.js';
import type { Language } from '../../../base/languages/language.js';
import type { PageTexts } from '../../texts/en.js';

/** As each names itself. */
export const LANGUAGES: Record<Language, string> = {
  EN: 'English',
  DE: 'Deutsch',
  ES: 'Español',
  FR: 'Français',
  PT_BR: 'Português (Brasil)',
};

/** Only the one in use is loaded. */
const texts: Record<Language, () => Promise<PageTexts>> = {
  EN: async () => (await import('../../texts/en.js')).en,
  DE: async () => (await import('../../texts/de.js')).de,
  ES: async () => (await import('../../texts/es.js')).es,
  FR: async () => (await import('../../texts/fr.js')).fr,
  PT_BR: async () => (await import('../../texts/pt-br.js')).ptBr,
};

/** All that the page says, in the language in use. */
export let t: PageTexts;

/** With its region, where this device names one: it decides how dates and times are written. */
export let locale = 'en';

let spoken: Language | undefined;

export const languageInUse = (): Language => spoken ?? 'EN';

export const isLanguage = (name: string): name is Language => name in LANGUAGES;

export const languageOfDevice = (tags = navigator.languages): Language =>
  tags.map(languageOf).find((each) => each !== undefined) ?? 'EN';

/** As this device names the language, with its region if it has one. */
export const localeOf = (language: Language, tags = navigator.languages): string =>
  tags.find((tag) => languageOf(tag) === language) ?? tagOf(language);

let loading: Promise<unknown> | undefined;

/** What is answered before can be said only then. */
export const languageIsLoaded = async (): Promise<void> => void (await loading?.catch(() => {}));

/** Null: the language of the device. Returns whether another one is spoken now. */
export async function speak(chosen: Language | null, tags = navigator.languages): Promise<boolean> {
  const reading = read(chosen ?? languageOfDevice(tags));
  loading = reading;
  const { language, read: found } = await reading;
  if (loading !== reading || language === spoken) return false; // another one was asked for meanwhile
  t = found;
  locale = localeOf(language, tags);
  spoken = language;
  globalThis.document?.documentElement.setAttribute('lang', t.locale);
  return true;
}

/** Without a network the wanted one may be missing: the one in use stays, or any is better than none. */
async function read(wanted: Language): Promise<{ language: Language; read: PageTexts }> {
  let failure: unknown;
  for (const language of new Set([wanted, spoken ?? wanted, ...(Object.keys(texts) as Language[])])) {
    try {
      return { language, read: await texts[language]() };
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}
