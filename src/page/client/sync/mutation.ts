const listed = (parts: readonly string[]) => (parts.length > 0 ? `(${parts})` : '');

/** The arguments of the field are the variables. */
export function mutation(field: string, types: Record<string, string>, answer: string): string {
  const names = Object.keys(types);
  const variables = listed(names.map((name) => `$${name}: ${types[name]}`));
  const values = listed(names.map((name) => `${name}: $${name}`));
  return `mutation ${field}${variables} { ${field}${values} { ${answer} } }`;
}

/** What a log-in is answered by. */
export const SESSION = 'token user { id }';

/** The arguments of what is done with one thing. */
export const ONE = { id: 'ID!' };
