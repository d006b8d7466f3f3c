import { readdirSync } from 'node:fs';
import os from 'node:os';
import { parseArgs } from 'node:util';
import { Bench, type Options, type Question, UsageError } from './bench.ts';
import { cpuOf, cpuOfAll } from './usage.ts';

// `npm run bench -- [NAME] [--OPTION=VALUE …]`: answers one of the questions in `bench/questions`, `comparison` unless
// it is named, and says how busy the machine was meanwhile. On Linux.

const names = readdirSync(new URL('./questions/', import.meta.url)).map((file) => file.replace('.ts', ''));

async function questionNamed(name: string): Promise<Question> {
  if (!names.includes(name)) {
    throw new UsageError(`There is no benchmark ${name}. There are: ${names.join(', ')}`);
  }
  return (await import(`./questions/${name}.ts`)).default;
}

/** What is not given keeps the value that the question declares; a number there asks for a number. */
function optionsOf(declared: Options, args: string[]): Options {
  const shown = Object.entries(declared).map(([name, value]) => `--${name}=${value}`);
  const options = Object.fromEntries(
    Object.keys(declared).map((name) => [name, { type: 'string' as const }]),
  );
  const given = () => {
    try {
      return parseArgs({ args, options }).values;
    } catch (error) {
      const [unknown] = (error as Error).message.split('. ');
      throw new UsageError(`${unknown}. Options, with what they are unless given: ${shown.join(' ')}`);
    }
  };
  const chosen = { ...declared };
  for (const [name, text = ''] of Object.entries(given()) as [string, string][]) {
    const isNumber = /^\d{1,8}(\.\d+)?$/.test(text) && Number(text) > 0;
    if (typeof declared[name] === 'number' && !isNumber) {
      throw new UsageError(`--${name} must be a positive number, and is "${text}"`);
    }
    chosen[name] = typeof declared[name] === 'number' ? Number(text) : text;
  }
  return chosen;
}

/** CPU seconds of this run and of all else: everything that takes part is a child of this process. */
function spent() {
  const ours = cpuOf(process.pid);
  return { ours, others: cpuOfAll() - ours, at: performance.now(), load: os.loadavg()[0] ?? 0 };
}

/** Tells whether the figures can be trusted. */
function busyness(before: ReturnType<typeof spent>, now = spent()): string {
  const seconds = (now.at - before.at) / 1_000;
  const cores = (key: 'ours' | 'others') => ((now[key] - before[key]) / seconds).toFixed(2);
  const load = `${before.load.toFixed(1)} before, ${now.load.toFixed(1)} after`;
  return `Of ${os.availableParallelism()} cores this run took ${cores('ours')}, others ${cores('others')}; load ${load}`;
}

/** Ctrl-C, or a fault outside the question, such as a database that ends: what was started still has to end. */
const interrupted = new Promise<never>((_resolve, reject) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => reject(new UsageError(`Ended by ${signal}`)));
  }
  process.on('uncaughtException', reject);
});

const [first = '', ...others] = process.argv.slice(2);
const isNamed = first !== '' && !first.startsWith('-');
const bench = new Bench();
try {
  const question = await questionNamed(isNamed ? first : 'comparison');
  const options = optionsOf(question.options, isNamed ? others : process.argv.slice(2));
  const before = spent();
  const [{ model = '' } = {}] = os.cpus();
  console.log(`${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${model}`);
  await Promise.race([question.ask(bench, options), interrupted]);
  console.log(`\n${busyness(before)}`);
} catch (error) {
  console.error(error instanceof UsageError ? error.message : error);
  process.exitCode = 1;
} finally {
  await bench.end();
  process.exit();
}
