import { Language } from './language.js';

/** The first part of a language's tag, as browsers write it. */
const byTag: Record<string, Language> = { en: 'EN', de: 'DE', es: 'ES', fr: 'FR', pt: 'PT_BR' };

/** Undefined where none of ours is meant. */
export const languageOf = (tag: string): Language | undefined => byTag[tag.split('-', 1)[0] ?? ''];

/** For `lang` in HTML, and for `Intl`. */
export const tagOf = (language: Language): string =>
  language === 'PT_BR' ? 'pt-BR' : language.toLowerCase();

/** The one that the user has chosen, or the first of ours that the device asks for; English otherwise. */
export function languageFor(chosen: Language | null | undefined, acceptLanguage = ''): Language {
  if (chosen) return chosen;
  const asked = acceptLanguage.split(',').flatMap((part) => {
    const [tag = '', ...parameters] = part.trim().toLowerCase().split(';');
    const quality = Number(/^\s*q=([\d.]+)$/.exec(parameters[0] ?? '')?.[1] ?? 1);
    const language = languageOf(tag);
    return language && quality > 0 ? [{ language, quality }] : [];
  });
  return asked.sort((one, other) => other.quality - one.quality)[0]?.language ?? Language.EN;
}
