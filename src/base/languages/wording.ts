/** How a language writes numbers, lists and plurals. */
export function wordingOf(locale: string) {
  const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 3 });
  const shares = new Intl.NumberFormat(locale, { style: 'percent' });
  const plurals = new Intl.PluralRules(locale);
  const lists = new Intl.ListFormat(locale, { style: 'narrow' });
  const number = (value: number): string => numbers.format(value);
  const plural = (count: number, one: string, other: string): string =>
    plurals.select(count) === 'one' ? one : other;
  return {
    number,
    /** Never all of it if some is missing. */
    percent: (share: number): string => shares.format(share < 1 ? Math.min(share, 0.99) : share),
    list: (words: readonly string[]): string => lists.format(words),
    plural,
    /** `3 days` */
    counted: (count: number, one: string, other: string): string =>
      `${number(count)} ${plural(count, one, other)}`,
  };
}
