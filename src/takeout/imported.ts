import { takeShortTurns } from '../database/short-turns.js';
import { invalid, Refusal } from '../errors.js';
import { type Day, dayOf } from '../streaks/day.js';
import { inputFrom } from '../validation.js';
import {
  ImportedAccount,
  ImportedChallenge,
  ImportedCompletion,
  type ImportedFile,
  ImportedTask,
} from './import.input.js';

/** A file whose every part has passed the gate, and fits together. */
export interface Imported {
  account: ImportedAccount;
  tasks: ImportedTask[];
  challenges: ImportedChallenge[];
  completions: ImportedCompletion[];
}

/** Parts that are checked in one turn of the event loop. */
const IN_ONE_TURN = 500;

/** In milliseconds: how far the clock of another server may be ahead. */
const TOLERATED_AHEAD = 2_000;

/** Names the part that is wrong, as people count. */
function part<T extends object>(type: new () => T, given: object, name: string): T {
  try {
    return inputFrom(type, given);
  } catch (error) {
    if (error instanceof Refusal) throw invalid(`${name}: ${error.message}`);
    throw error;
  }
}

async function each<T extends object>(
  type: new () => T,
  list: object[],
  name: string,
  problemOf: (part: T) => string | undefined,
): Promise<T[]> {
  const parts: T[] = [];
  for (const [index, given] of list.entries()) {
    if (index % IN_ONE_TURN === IN_ONE_TURN - 1) await takeShortTurns();
    const admitted = part(type, given, `${name} ${index + 1}`);
    const problem = problemOf(admitted);
    if (problem) throw invalid(`${name} ${index + 1}: ${problem}`);
    parts.push(admitted);
  }
  return parts;
}

interface Template {
  id: number;
  title: string;
}

/** The id here of a template in a file, which names it by its title, too, since ids are those of another server. */
const idHere = (
  templates: readonly Template[],
  id: number,
  title: string | null = null,
): number | undefined => {
  const fits = (template: Template) => (title === null ? template.id === id : template.title === title);
  const fitting = templates.filter(fits).map((template) => template.id);
  return fitting.find((each) => each === id) ?? fitting.at(0);
};

const HOUR = 3_600_000;

/** What the wall clock may show at an instant, less the hours until a day begins: at the earliest and at the latest. */
const EARLIEST = -18 * HOUR;
const LATEST = 14 * HOUR;

function isDayOf(instant: string, day: Day): boolean {
  const at = new Date(instant).getTime();
  return day >= dayOf(new Date(at + EARLIEST)) && day <= dayOf(new Date(at + LATEST));
}

export async function importedFrom(
  file: ImportedFile,
  { now, templates }: { now: Date; templates: readonly Template[] },
): Promise<Imported> {
  const latest = new Date(now.getTime() + TOLERATED_AHEAD).toISOString();
  const inFuture = (...instants: (string | null | undefined)[]) =>
    instants.some((instant) => typeof instant === 'string' && instant > latest)
      ? 'Nothing may be in the future'
      : undefined;
  const noTemplate = 'The challenge template is not known here';

  const account = part(ImportedAccount, file.account, 'Account');
  const ids = new Set<number>();
  const tasks = await each(ImportedTask, file.tasks, 'Task', (task) => {
    const { id, challengeTemplateId, challengeTemplateTitle, createdAt, updatedAt, archivedAt } = task;
    if (id === 0 || ids.has(id)) return 'Id must be its own';
    ids.add(id);
    if (typeof challengeTemplateId === 'number') {
      task.challengeTemplateId = idHere(templates, challengeTemplateId, challengeTemplateTitle);
      if (task.challengeTemplateId === undefined) return noTemplate;
    }
    return inFuture(createdAt, updatedAt, archivedAt);
  });
  let active = 0;
  const challenges = await each(ImportedChallenge, file.challenges, 'Challenge', (challenge) => {
    const {
      templateId,
      templateTitle,
      status,
      startDate,
      completedAt = null,
      createdAt,
      updatedAt,
    } = challenge;
    if (status === 'ACTIVE') active += 1;
    if (active > 1) return 'Only one may be active';
    if ((status === 'COMPLETED') !== (completedAt !== null))
      return 'Completed at must be set if it is completed';
    const id = idHere(templates, templateId, templateTitle);
    if (id === undefined) return noTemplate;
    challenge.templateId = id;
    return inFuture(startDate, completedAt, createdAt, updatedAt);
  });
  const completions = await each(ImportedCompletion, file.completions, 'Completion', (completion) => {
    const { task, completedAt, day, recordedAt } = completion;
    if (!ids.has(task)) return 'Task must be the id of one of the tasks';
    if (!isDayOf(completedAt, day)) return 'Day must be that of completed at, in some time zone';
    return inFuture(completedAt, recordedAt);
  });
  return { account, tasks, challenges, completions };
}
