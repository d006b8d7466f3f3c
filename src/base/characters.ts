// Invisible characters: they make two texts look alike, or reverse the direction of text around them.

/** Except line breaks and tabs. */
export const CONTROL = /[\p{Cc}--\s]/v;
const ASCII_CONTROL = /[[\p{Cc}&&\p{ASCII}]--\s]/v;

const HIDDEN_IN_IDENTIFIERS = /[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u{2800}]/v;

/**
 * Leaves out marks that belong to the letter before them (variation selectors), and the direction marks that Hebrew
 * and Arabic need: unlike embeddings, overrides and isolates, those affect no other text.
 */
const HIDDEN_IN_NAMES =
  /[[\p{Default_Ignorable_Code_Point}\u{FFF9}-\u{FFFB}]--[\p{Mn}\u{200C}\u{200D}\u{200E}\u{200F}\u{61C}]]/v;

/** The flags of England, Scotland and Wales contain tag characters, which are invisible. */
const FLAG_WITH_TAGS = /\p{RGI_Emoji_Tag_Sequence}/gv;

/**
 * Joiners shape letters in Persian and Indic scripts and hold emoji together, so a valid one stands between two
 * characters. At the end of a word it is valid only after a mark, as in older spellings of Malayalam.
 */
const STRAY_JOINER = /(?<![^\s\u{200C}\u{200D}])[\u{200C}\u{200D}]|(?<!\p{M})[\u{200C}\u{200D}](?!\S)/v;

/** Line breaks, and what makes the text around it run the other way. */
const UNFIT_FOR_A_LINE = /[\n\r\v\f\u{85}\u{2028}\u{2029}\u{202A}-\u{202E}\u{2066}-\u{2069}]/v;

const SEEN = /[^\s\p{Default_Ignorable_Code_Point}\u{2800}]/v;

/** ASCII control characters, which no keyboard types. Those beyond ASCII occur in wrongly decoded text. */
export const hasAsciiControls = (text: string): boolean => ASCII_CONTROL.test(text);

/** For text that identifies an account. */
export const hasHidden = (identifier: string): boolean => HIDDEN_IN_IDENTIFIERS.test(identifier);

/** Allows invisible characters that scripts need. */
export function hasHiddenInName(name: string): boolean {
  const text = name.replace(FLAG_WITH_TAGS, 'flag');
  return CONTROL.test(text) || HIDDEN_IN_NAMES.test(text) || STRAY_JOINER.test(text);
}

export const breaksLine = (text: string): boolean => UNFIT_FOR_A_LINE.test(text);

export const looksBlank = (text: string): boolean => !SEEN.test(text);
