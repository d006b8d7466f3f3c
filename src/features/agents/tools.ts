import type { ApiScope, Caller } from '../../base/scopes.js';
import { inputFrom, written } from '../../base/validation.js';
import { CreateHabitInput } from '../habits/task.input.js';
import { historyLimits } from '../history/limits.js';
import { WITHOUT_AMOUNT } from '../schedules/fields.js';
import type { AgentReads } from './agent-reads.service.js';
import type { AgentWrites } from './agent-writes.service.js';
import {
  CompleteArgs,
  CreationArgs,
  ExplainArgs,
  HistoryArgs,
  SkipArgs,
  StatisticsArgs,
  TodayArgs,
  UndoArgs,
} from './agents.input.js';
import { agentLimits } from './limits.js';
import { filterWords, inputSchema, type ObjectSchema, outputs, titleWords } from './schemas.js';

interface Hints {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: false;
}

export interface Tool {
  name: keyof typeof outputs;
  title: string;
  description: string;
  access: ApiScope;
  annotations: Hints;
  inputSchema: ObjectSchema;
  outputSchema: ObjectSchema;
  call: (caller: Caller, given: object) => Promise<object>;
}

const READS: Hints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

const ADDS: Hints = { ...READS, readOnlyHint: false, idempotentHint: false };

const habit =
  'The habit: its id, or its title in any case. A title that fits several is refused, with all of them.';

const dayWords = "The user's day: today, yesterday, or such as 2026-11-21. Today without it.";

const keyWords = 'The same key again does nothing, and tells what was done with it first.';

const pages = {
  first: `At most so many, up to ${agentLimits.rows}; ${agentLimits.rowsDefault} without it.`,
  after: 'To go on: what the page before gave as `after`.',
};

const range = {
  from: 'The first day, such as 2026-11-01.',
  to: 'The last day; today without it.',
};

const minutes = agentLimits.repeatedSeconds / 60;

/** Lists the tools in the order in which agents see them. */
export const toolsOn = (reads: AgentReads, writes: AgentWrites): Tool[] => [
  ...[today(reads), complete(writes), undo(writes), skip(writes)],
  ...[history(reads), statistics(reads), createHabit(writes), explainStreak(reads)],
];

const today = (reads: AgentReads): Tool => ({
  name: 'today',
  title: 'Today',
  description:
    "The user's habits in use and how each stands today, by the user's own days: what is open, what is done, amounts, streaks. Begin here: it tells ids.",
  access: 'READ',
  annotations: READS,
  inputSchema: inputSchema(TodayArgs, {
    show: filterWords,
    section: 'Only habits under this heading.',
    tag: 'Only habits with this tag.',
    ...pages,
  }),
  outputSchema: outputs.today,
  call: ({ userId }, given) => reads.today(userId, inputFrom(TodayArgs, given)),
});

const complete = (writes: AgentWrites): Tool => ({
  name: 'complete',
  title: 'Complete a habit',
  description: `Record that a habit was done. Without a key, the same habit, day and amount within ${minutes} minutes count once, and the answer says that it was recorded before.`,
  access: 'COMPLETIONS',
  annotations: ADDS,
  inputSchema: inputSchema(CompleteArgs, {
    habit,
    amount: `How much was done, in the unit of its target. ${WITHOUT_AMOUNT}`,
    note: 'A note to keep with it.',
    day: dayWords,
    key: `Your own word for this one time that it was done. ${keyWords}`,
    once: 'True: only if the habit has no completion on that day yet.',
  }),
  outputSchema: outputs.complete,
  call: (caller, given) => writes.complete(caller, inputFrom(CompleteArgs, given)),
});

const undo = (writes: AgentWrites): Tool => ({
  name: 'undo',
  title: 'Take back a completion',
  description:
    'Delete a completion: points, counts and streaks are as if it had never been. Give its id, or a habit for what was last recorded of it today; called again with a habit, it takes back the one before.',
  access: 'COMPLETIONS',
  annotations: { ...ADDS, destructiveHint: true },
  inputSchema: inputSchema(UndoArgs, {
    completionId: 'The id of a completion, as `complete` and `history` tell it.',
    habit: `In place of an id. ${habit}`,
  }),
  outputSchema: outputs.undo,
  call: (caller, given) => writes.undo(caller, inputFrom(UndoArgs, given)),
});

const skip = (writes: AgentWrites): Tool => ({
  name: 'skip',
  title: 'Skip a day of a habit',
  description:
    'Mark a day on which a habit need not be done: it breaks no streak. Skipping it again replaces the note.',
  access: 'TASKS',
  annotations: { ...READS, readOnlyHint: false, destructiveHint: true },
  inputSchema: inputSchema(SkipArgs, {
    habit,
    day: `${dayWords} It may lie up to ${historyLimits.daysAhead} days ahead.`,
    note: 'A note to keep with it.',
    takeBack: 'True: the day is not skipped any more.',
  }),
  outputSchema: outputs.skip,
  call: (caller, given) => writes.skip(caller, inputFrom(SkipArgs, given)),
});

const history = (reads: AgentReads): Tool => ({
  name: 'history',
  title: 'History',
  description: 'Completions, newest first: of all habits or of one, of all time or of a range of days.',
  access: 'READ',
  annotations: READS,
  inputSchema: inputSchema(HistoryArgs, { habit: `Only of one. ${habit}`, ...range, ...pages }),
  outputSchema: outputs.history,
  call: ({ userId }, given) => reads.history(userId, inputFrom(HistoryArgs, given)),
});

const statistics = (reads: AgentReads): Tool => ({
  name: 'statistics',
  title: 'Statistics',
  description: `How one habit or all in use went over a range of days: how often each was due, kept and missed, amounts, weekdays. The last ${agentLimits.statisticsDaysDefault} days without a range.`,
  access: 'READ',
  annotations: READS,
  inputSchema: inputSchema(StatisticsArgs, {
    habit: `Only of one. ${habit}`,
    ...range,
    last: `In place of from and to: so many days that end today, at most ${written(historyLimits.statisticsDays)}.`,
    by: 'Of one habit, also each week or month of the range.',
    ...pages,
  }),
  outputSchema: outputs.statistics,
  call: ({ userId }, given) => reads.statistics(userId, inputFrom(StatisticsArgs, given)),
});

const createHabit = (writes: AgentWrites): Tool => ({
  name: 'create_habit',
  title: 'Create a habit',
  description:
    'Create a habit. Without a schedule it is due every day, without a target one completion is enough.',
  access: 'TASKS',
  annotations: ADDS,
  inputSchema: creationSchema(),
  outputSchema: outputs.create_habit,
  call: (caller, given) =>
    writes.createHabit(caller, inputFrom(CreateHabitInput, given), inputFrom(CreationArgs, given)),
});

const explainStreak = (reads: AgentReads): Tool => ({
  name: 'explain_streak',
  title: 'Explain a streak',
  description:
    "Why a streak is as long as it is, when it began, what ended the one before, and when it ends: of a habit, or without one of the user's days.",
  access: 'READ',
  annotations: READS,
  inputSchema: inputSchema(ExplainArgs, { habit }),
  outputSchema: outputs.explain_streak,
  call: ({ userId }, given) => reads.explainStreak(userId, inputFrom(ExplainArgs, given)),
});

function creationSchema(): ObjectSchema {
  const schema = inputSchema(CreateHabitInput, {
    title: titleWords,
    description: 'Free text.',
    points: 'What a completion earns.',
    schedule: 'When it is due: exactly one of these.',
    target: 'How much must be done, or for AT_MOST, must not be exceeded.',
    section: 'The heading under which it stands in the list.',
    tags: 'Words by which it can be found.',
    icon: 'One emoji.',
    colour: 'Its colour.',
    reminders: "Times of the user's clock at which to be reminded.",
  });
  const { properties } = inputSchema(CreationArgs, { key: `Your own word for this one habit. ${keyWords}` });
  return { ...schema, properties: { ...schema.properties, ...properties } };
}
