const asked: Record<string, Promise<unknown> | undefined> = {};

/** Styles are waited for. What has failed is asked for anew the next time. */
const preloaded = (file: string) =>
  (asked[file] ??= new Promise((resolve, reject) => {
    const isStyle = file.endsWith('.css');
    const link = Object.assign(document.createElement('link'), {
      rel: isStyle ? 'stylesheet' : 'modulepreload',
      href: new URL(file, import.meta.url),
      crossOrigin: '',
      onload: resolve,
      onerror: reject,
    });
    document.head.append(link);
    if (!isStyle) resolve(null);
  }).catch(() => {
    asked[file] = undefined;
    throw new Error(file);
  }));

/** What each `import()` of the page is built to: the part, and what it needs, are asked for at once. */
export const __vitePreload = async <Part>(load: () => Promise<Part>, files: string[] = []): Promise<Part> => {
  await Promise.all(files.map(preloaded));
  return load();
};
