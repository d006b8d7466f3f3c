/** Light or dark, whatever the device prefers; empty: as it does. */
export function wear(theme: string): void {
  document.documentElement.style.colorScheme = theme;
  for (const bar of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]'))
    bar.media = theme ? (bar.id === theme ? '' : 'not all') : `(prefers-color-scheme: ${bar.id})`;
}
