const LEVELS: Record<number, string> = {
  10: 'TRACE',
  20: 'DEBUG',
  30: 'INFO',
  40: 'WARN',
  50: 'ERROR',
  60: 'FATAL',
};

/** What a terminal would obey instead of showing it, and what cannot be seen. */
const UNSHOWN = /[\p{C}\u2028\u2029]/gu;

const escaped = (text: string) =>
  text.replace(UNSHOWN, (each) => `\\u{${each.codePointAt(0)?.toString(16)}}`);

/** A line of the log for people: time, level, message, and the rest as `name=value`. */
export function asText(line: string): string {
  const { level, time, msg, err, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const clock = new Date(Number(time)).toTimeString().slice(0, 8);
  const fields = Object.entries(rest).map(([name, value]) => `${name}=${shown(value)}`);
  const head = [clock, LEVELS[Number(level)]?.padEnd(5), escaped(String(msg ?? '')), ...fields].join(' ');
  const { stack } = (err ?? {}) as { stack?: string };
  const frames = stack?.split('\n').map((each) => `\n    ${escaped(each.trim())}`) ?? [];
  return `${head}${frames.join('')}\n`;
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /^[\w.:/@+-]*$/.test(text) || typeof value !== 'string'
    ? escaped(text)
    : escaped(JSON.stringify(text));
}
