import { invalid, Refusal } from '../errors.js';
import { tooManyPauses, tooManySkips } from '../pauses/pause.service.js';
import { Counts } from '../queues/line.js';
import { letOthersIn } from '../queues/long-turns.js';
import { type Day, daysAfter, earliestDayAt, latestDayAt } from '../schedules/day.js';
import { assertPlan } from '../schedules/plan.js';
import { NO_SCHEDULE } from '../schedules/schedule.js';
import { isLimit, NO_TARGET } from '../schedules/target.js';
import { habitColumns } from '../tasks/task.queries.js';
import { inputFrom, limits } from '../validation.js';
import {
  ImportedAccount,
  ImportedChallenge,
  ImportedCompletion,
  ImportedFile,
  ImportedPause,
  ImportedSkip,
  ImportedTask,
} from './import.input.js';
import { contentsOf } from './import-file.js';

/** A file whose every part is valid, and fits together. */
export interface Imported {
  account: ImportedAccount;
  tasks: ImportedTask[];
  challenges: ImportedChallenge[];
  completions: ImportedCompletion[];
  skips: ImportedSkip[];
  pauses: ImportedPause[];
  /** A line for everything that another app's file has and Steady has not taken. */
  leftOut: string[] | undefined;
}

/** More than a life has of each, and what one transaction brings in within the time of an import. */
const MOST = { completions: 1_000_000, skips: 100_000, pauses: 50_000 };

const LISTS = {
  tasks: { label: 'Task', most: limits.tasks },
  challenges: { label: 'Challenge', most: limits.challenges },
  completions: { label: 'Completion', most: MOST.completions },
  skips: { label: 'Skip', most: MOST.skips },
  pauses: { label: 'Pause', most: MOST.pauses },
};

const MEMBERS = ['format', 'version', 'account', ...Object.keys(LISTS)];

/** How far the clock of another server may be ahead. */
const TOLERATED_AHEAD_MS = 2_000;

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Rows that are validated in one turn of the event loop. */
const IN_ONE_TURN = 500;

/** The members of a file, of which each is validated by itself. */
class File {
  constructor(private readonly members: ReadonlyMap<string, unknown>) {}

  value(name: string): unknown {
    return this.members.get(name);
  }

  /** Names the part that is wrong, as people count. */
  async list<T extends object>(
    type: new () => T,
    name: keyof typeof LISTS,
    problemOf: (part: T) => string | undefined,
  ): Promise<T[]> {
    const { label } = LISTS[name];
    const items = this.members.get(name);
    if (!Array.isArray(items) || !items.every(isObject)) throw invalid(`${label}s must be a list of objects`);
    const parts: T[] = [];
    for (const item of items) {
      const admitted = inPart(`${label} ${parts.length + 1}`, () => {
        const input = inputFrom(type, item);
        const problem = problemOf(input);
        if (problem) throw invalid(problem);
        return input;
      });
      parts.push(admitted);
      if (parts.length % IN_ONE_TURN === 0) await letOthersIn();
    }
    return parts;
  }
}

/** A refusal of what is read says which part of a file it is about. */
export function inPart<T>(label: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof Refusal) throw invalid(`${label}: ${error.message}`);
    throw error;
  }
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

function isDayOf(instant: string, day: Day): boolean {
  const at = new Date(instant);
  return day >= earliestDayAt(at) && day <= latestDayAt(at);
}

const noTask = 'Task must be the id of one of the tasks';

const noTemplate = 'The challenge template is not known here';

type InFuture = (...instants: (string | null | undefined)[]) => string | undefined;

function inFutureOf(now: Date): InFuture {
  const latest = new Date(now.getTime() + TOLERATED_AHEAD_MS).toISOString();
  return (...instants) =>
    instants.some((instant) => typeof instant === 'string' && instant > latest)
      ? 'Nothing may be in the future'
      : undefined;
}

/** The tasks with their ids, and those of them that are limits. */
async function tasksIn(file: File, templates: readonly Template[], inFuture: InFuture) {
  const ids = new Set<number>();
  const limitIds = new Set<number>();
  const tasks = await file.list(ImportedTask, 'tasks', (task) => {
    const { id, challengeTemplateId, challengeTemplateTitle, createdAt, updatedAt, archivedAt } = task;
    if (id === 0 || ids.has(id)) return 'Id must be its own';
    ids.add(id);
    if (typeof challengeTemplateId === 'number') {
      task.challengeTemplateId = idHere(templates, challengeTemplateId, challengeTemplateTitle);
      if (task.challengeTemplateId === undefined) return noTemplate;
    }
    const planned = { ...NO_SCHEDULE, ...NO_TARGET, ...task, ...habitColumns(task) };
    assertPlan(planned, task);
    if (isLimit(planned)) limitIds.add(id);
    return inFuture(createdAt, updatedAt, archivedAt);
  });
  return { tasks, ids, limitIds };
}

export async function importedFrom(
  bytes: Buffer,
  { now, templates }: { now: Date; templates: readonly Template[] },
): Promise<Imported> {
  const inFuture = inFutureOf(now);

  const { members, leftOut } = await contentsOf({ bytes, now, members: MEMBERS, lists: LISTS });
  const file = new File(members);
  inputFrom(ImportedFile, { format: file.value('format'), version: file.value('version') });
  const given = file.value('account');
  if (!isObject(given)) throw invalid('Account must be an object');
  const account = inPart('Account', () => inputFrom(ImportedAccount, given));
  const { tasks, ids, limitIds } = await tasksIn(file, templates, inFuture);
  let active = 0;
  const challenges = await file.list(ImportedChallenge, 'challenges', (challenge) => {
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
  const completions = await file.list(ImportedCompletion, 'completions', (completion) => {
    const { task, completedAt, day, recordedAt } = completion;
    if (!ids.has(task)) return noTask;
    if (limitIds.has(task) !== (completion.points === 0))
      return 'Points must be greater than zero, and 0 for a limit';
    if (!isDayOf(completedAt, day)) return 'Day must be that of completed at, in some time zone';
    return inFuture(completedAt, recordedAt);
  });
  return { account, tasks, challenges, completions, ...(await restsIn(file, ids, now)), leftOut };
}

async function restsIn(file: File, tasks: ReadonlySet<number>, now: Date) {
  const lastBegin = daysAfter(latestDayAt(now), limits.daysAhead);
  const tooFarAhead = (day: Day) =>
    day > lastBegin ? `A day can be at most ${limits.daysAhead} days ahead` : undefined;
  const skipped = new Set<string>();
  const skips = new Counts<number>();
  const skippedDays = await file.list(ImportedSkip, 'skips', ({ task, date }) => {
    if (!tasks.has(task)) return noTask;
    const key = `${task} ${date}`;
    if (skipped.has(key)) return 'Date must be skipped once';
    skipped.add(key);
    skips.add(task, 1);
    if (skips.of(task) > limits.skips) return tooManySkips().message;
    return tooFarAhead(date);
  });
  const paused = new Counts<number | null>();
  const pauses = await file.list(ImportedPause, 'pauses', ({ task = null, from, until = null }) => {
    if (task !== null && !tasks.has(task)) return noTask;
    paused.add(task, 1);
    if (paused.of(task) > limits.pauses) return tooManyPauses().message;
    if (until !== null && until < from) return 'Until must not be before from';
    return tooFarAhead(from);
  });
  const overlapping = await overlappingIn(pauses);
  if (overlapping) throw invalid(`Pause ${pauses.indexOf(overlapping) + 1}: ${pausedAlready(overlapping)}`);
  return { skips: skippedDays, pauses };
}

/** A pause that shares a day with another of the same thing. */
export async function overlappingIn(pauses: readonly ImportedPause[]): Promise<ImportedPause | undefined> {
  for (const ofOne of Map.groupBy(pauses, ({ task = null }) => task).values()) {
    await letOthersIn();
    const inOrder = ofOne.toSorted((one, other) => (one.from < other.from ? -1 : 1));
    const overlaps = ({ from }: ImportedPause, index: number) => {
      const before = inOrder[index - 1];
      return before !== undefined && (before.until ?? from) >= from;
    };
    const overlapping = inOrder.find(overlaps);
    if (overlapping) return overlapping;
  }
  return undefined;
}

export const pausedAlready = ({ from }: ImportedPause) => `There is a pause on ${from} already`;
