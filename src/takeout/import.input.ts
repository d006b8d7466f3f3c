import { WEEK_STARTS, type WeekStart } from '../accounts/progress.entity.js';
import { ChallengeStatus } from '../challenges/challenge.entity.js';
import { Language } from '../languages/language.js';
import { Amount } from '../schedules/habit-rules.js';
import { CreateHabitInput } from '../tasks/task.input.js';
import {
  Clearable,
  EarnedPoints,
  Id,
  limits,
  Omittable,
  OneOf,
  rule,
  StartOfDay,
  Text,
  TIME_OF_DAY,
} from '../validation.js';

/** The version of the format. A reader refuses one that it does not know. */
export const FORMAT = { format: 'steady-export', version: 2 } as const;

const INSTANT = /^(?:19[7-9]|[2-9]\d\d)\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const DAY = /^(?:19[6-9]|[2-9]\d\d)\d-\d\d-\d\d$/;

const exists = (text: string) => {
  const instant = new Date(text);
  return !Number.isNaN(instant.getTime()) && instant.toISOString() === text;
};

/** From 1960 on, and on the calendar. */
export const isDay = (text: string) => DAY.test(text) && exists(`${text}T00:00:00.000Z`);

/** ISO text, so it sorts as text. */
const InstantText = () =>
  rule('instantText', { type: 'string', pattern: INSTANT.source }, (value) =>
    typeof value === 'string' && INSTANT.test(value) && exists(value)
      ? undefined
      : 'must be an instant since 1970, such as 2026-11-21T08:30:00.000Z',
  );

const DayText = () =>
  rule('dayText', { type: 'string', pattern: DAY.source }, (value) =>
    typeof value === 'string' && isDay(value) ? undefined : 'must be a day, such as 2026-11-21',
  );

const TimeText = () =>
  rule('timeText', { type: 'string', pattern: TIME_OF_DAY.source }, (value) =>
    typeof value === 'string' && TIME_OF_DAY.test(value) ? undefined : 'must be a time, such as 08:30',
  );

/** What an export says of an account; name, address and picture are the new account's own. */
export class ImportedAccount {
  @Clearable()
  @Text({ max: limits.timeZone })
  timeZone?: string | null;

  @StartOfDay()
  dayStartsAt!: number;

  @Omittable()
  @OneOf(WEEK_STARTS)
  weekStartsOn?: WeekStart;

  @Clearable()
  @OneOf(Object.keys(Language))
  language?: Language | null;

  @Clearable()
  @TimeText()
  dayReminder?: string | null;
}

/** The fields that a task is made with, by the rules that it is made by. */
export class ImportedTask extends CreateHabitInput {
  @Id()
  id!: number;

  /** The title of the template on the server that wrote the file. Earlier releases left it out. */
  @Clearable()
  @Text()
  challengeTemplateTitle?: string | null;

  @InstantText()
  createdAt!: string;

  @InstantText()
  updatedAt!: string;

  @Clearable()
  @InstantText()
  archivedAt?: string | null;
}

export class ImportedChallenge {
  @Id()
  templateId!: number;

  @Clearable()
  @Text()
  templateTitle?: string | null;

  @OneOf(Object.values(ChallengeStatus))
  status!: ChallengeStatus;

  @InstantText()
  startDate!: string;

  @Clearable()
  @InstantText()
  completedAt?: string | null;

  @Clearable()
  @Text({ max: limits.notes })
  notes?: string | null;

  @InstantText()
  createdAt!: string;

  @InstantText()
  updatedAt!: string;
}

export class ImportedCompletion {
  @Id()
  task!: number;

  @EarnedPoints()
  points!: number;

  @InstantText()
  completedAt!: string;

  @DayText()
  day!: string;

  @InstantText()
  recordedAt!: string;

  @Clearable()
  @Amount()
  amount?: number | null;

  @Clearable()
  @Text({ max: limits.note })
  note?: string | null;
}

export class ImportedSkip {
  @Id()
  task!: number;

  @DayText()
  date!: string;

  @Clearable()
  @Text({ max: limits.note })
  note?: string | null;
}

export class ImportedPause {
  /** Null: all tasks, and the user. */
  @Clearable()
  @Id()
  task?: number | null;

  @DayText()
  from!: string;

  @Clearable()
  @DayText()
  until?: string | null;

  @Clearable()
  @Text({ max: limits.note })
  note?: string | null;
}

/** What is in front of the parts. */
export class ImportedFile {
  @OneOf([FORMAT.format])
  format!: string;

  @OneOf([FORMAT.version])
  version!: number;
}
