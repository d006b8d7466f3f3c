/** Exact, as in the database: JavaScript numbers would round. */
export function sumOf(a: string, b: string): string {
  const decimals = Math.max(...[a, b].map((text) => text.split('.')[1]?.length ?? 0));
  const wholeOf = (text: string) => {
    const [integer = '', fraction = ''] = text.split('.');
    return BigInt(integer + fraction.padEnd(decimals, '0'));
  };
  const digits = `${wholeOf(a) + wholeOf(b)}`.padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
