/** A random name, one for each tap. `crypto.randomUUID` is missing where a page comes over plain http. */
export const newKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-');
