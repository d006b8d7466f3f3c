import { callOf, type Declaration, type Form } from './declaration.js';

/** What `--help` prints. */
export function helpOf(declaration: Declaration): string {
  const { does, words, examples, exits } = declaration;
  const usage = usageOf(words ? Object.entries(words) : [['', declaration]]);
  const call = callOf(declaration);
  const parts = [
    usage ? `${call} -- ${usage}` : call,
    does,
    columns(
      words ? Object.entries(words).flatMap(([word, form]) => rowsOf(form, word)) : rowsOf(declaration),
    ),
    `Examples:\n${examples.map((example) => `  ${[call, ...(example ? ['--', example] : [])].join(' ')}`).join('\n')}`,
    `Exit codes:\n${Object.entries(exits)
      .map(([code, meaning]) => `  ${code}  ${meaning}`)
      .join('\n')}`,
  ];
  return parts.filter(Boolean).join('\n\n');
}

const usageOf = (forms: [word: string, form: Form][]) =>
  forms.map(([word, form]) => [word, ...argumentsOf(form)].filter(Boolean).join(' ')).join(' | ');

function argumentsOf({ operands = {}, options = {} }: Form): string[] {
  const shown = Object.entries(options).map(([name, { value, required }]) => {
    const option = value ? `--${name} ${value}` : `--${name}`;
    return required ? option : `[${option}]`;
  });
  return [...Object.keys(operands), ...shown];
}

type Row = [name: string, meaning: string];

function rowsOf({ operands = {}, options = {}, says }: Form & { says?: string }, word = ''): Row[] {
  const indent = word ? '  ' : '';
  return [
    ...(word ? [[word, says ?? ''] as Row] : []),
    ...Object.entries(operands).map(([name, meaning]): Row => [indent + name, meaning]),
    ...Object.entries(options).map(
      ([name, { value, says }]): Row => [`${indent}--${name}${value ? ` ${value}` : ''}`, says],
    ),
  ];
}

function columns(rows: Row[]): string {
  const width = Math.max(0, ...rows.map(([name]) => name.length)) + 2;
  return rows.map(([name, meaning]) => name.padEnd(width) + meaning).join('\n');
}
