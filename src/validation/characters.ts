// Characters that are not seen: they make two texts look alike, or turn round what stands beside them.

/** Line breaks and tabs are none. */
const CONTROL = /[\p{Cc}--\s]/v;
const ASCII_CONTROL = /[[\p{Cc}&&\p{ASCII}]--\s]/v;

const HIDDEN_IN_IDENTIFIERS = /[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u{2800}]/v;

/**
 * Marks that belong to the letter before them (variation selectors) are not among these, nor the marks of
 * direction that Hebrew and Arabic need: unlike embeddings, overrides and isolates they have no extent.
 */
const HIDDEN_IN_NAMES =
  /[[\p{Default_Ignorable_Code_Point}\u{FFF9}-\u{FFFB}]--[\p{Mn}\u{200C}\u{200D}\u{200E}\u{200F}\u{61C}]]/v;

/** The flags of England, Scotland and Wales end in characters that are not seen by themselves. */
const FLAG_WITH_TAGS = /\p{RGI_Emoji_Tag_Sequence}/gv;

/**
 * Joiners shape the letters of Persian and of Indic scripts and hold emoji together, so each has one before
 * it and one behind it; at the end of a word only after a mark, as older spellings of Malayalam have it.
 */
const STRAY_JOINER = /(?<![^\s\u{200C}\u{200D}])[\u{200C}\u{200D}]|(?<!\p{M})[\u{200C}\u{200D}](?!\S)/v;

const SEEN = /[^\s\p{Default_Ignorable_Code_Point}\u{2800}]/v;

/** What no keyboard writes; wrongly decoded text may have those beyond ASCII. */
export const hasAsciiControls = (text: string): boolean => ASCII_CONTROL.test(text);

/** For what tells accounts apart. */
export const hasHidden = (identifier: string): boolean => HIDDEN_IN_IDENTIFIERS.test(identifier);

/** What scripts need to be written rightly is not counted. */
export function hasHiddenInName(name: string): boolean {
  const text = name.replace(FLAG_WITH_TAGS, 'flag');
  return CONTROL.test(text) || HIDDEN_IN_NAMES.test(text) || STRAY_JOINER.test(text);
}

export const looksBlank = (text: string): boolean => !SEEN.test(text);
