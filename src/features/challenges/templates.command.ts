import { readFileSync } from 'node:fs';
import { argumentsOf, subcommandOf, UsageError } from '../../base/commands/arguments.js';
import { Refusal } from '../../base/errors.js';
import { inputFrom } from '../../base/validation.js';
import { commandOf, type Tools } from '../../feature.js';
import { TemplateInput } from './challenge.input.js';
import { TemplateService } from './template.service.js';

const HELP = `steady templates import FILE

Challenge templates of your own. The service may run.

FILE is a JSON list: [{ "title": "Dry January", "description": "No drop for a month.", "durationDays": 31 }]
A template whose title is there already gets the new description and duration; else it is added, the
last of the list as the newest. Challenges that were accepted go on, by what their template now says.

import  brings the templates of a file into the database, all of them or none
  FILE  the list

Examples:
  steady templates import templates.json

Exit codes:
  0  all are in the database
  1  nothing was changed: each fault of the file is a line`;

const LARGEST_BYTES = 16 * 1_024 * 1_024;

const FIELDS = ['title', 'description', 'durationDays'];

function contentsOf(file: string): unknown {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`);
  }
  if (bytes.length > LARGEST_BYTES) throw new UsageError(`${file} is larger than ${LARGEST_BYTES} bytes`);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new UsageError(`${file} is not JSON in UTF-8`);
  }
}

/** The faults of one template, each with its place. */
function faultsIn(given: unknown, place: string): string[] {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return [`${place} must be an object`];
  const unknown = Object.keys(given).filter((name) => !FIELDS.includes(name));
  const faults = unknown.map(
    (name) => `${place} has a field ${JSON.stringify(name)}, but only ${FIELDS.join(', ')} are known`,
  );
  try {
    inputFrom(TemplateInput, given);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    faults.push(
      ...Object.entries(error.details.fields ?? {}).map(([name, fault]) => `${place}.${name}: ${fault}`),
    );
  }
  return faults;
}

function templatesIn(): TemplateInput[] {
  const { args } = subcommandOf(['import']);
  const [file = ''] = argumentsOf({ operands: ['FILE'] }, args).operands;
  const list = contentsOf(file);
  if (!Array.isArray(list)) throw new UsageError(`${file} must hold a list of templates: [{ … }]`);
  const firstAt = new Map<unknown, number>();
  const faults = list.flatMap((each, index) => {
    const title: unknown = each?.title;
    const first = firstAt.get(title);
    const isTwice = typeof title === 'string' && first !== undefined;
    if (!isTwice) firstAt.set(title, index);
    return [
      ...faultsIn(each, `[${index}]`),
      ...(isTwice ? [`[${index}].title: is that of [${first}] too`] : []),
    ];
  });
  if (faults.length > 0) throw new UsageError(faults.join('\n'));
  return list.map((each) => inputFrom(TemplateInput, each));
}

async function bringIn({ database, clock }: Tools, list: TemplateInput[]): Promise<number> {
  const { added, changed } = await new TemplateService(database).bringIn(list, clock.now());
  const same = list.length - added - changed;
  console.log(`Challenge templates: ${added} added, ${changed} changed, ${same} as they were.`);
  return 0;
}

export const command = commandOf(HELP, templatesIn, bringIn);
