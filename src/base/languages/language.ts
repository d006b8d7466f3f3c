/** The languages in which people are spoken to. The APIs and the log are in English. */
export const Language = { EN: 'EN', DE: 'DE', ES: 'ES', FR: 'FR', PT_BR: 'PT_BR' } as const;
export type Language = keyof typeof Language;
