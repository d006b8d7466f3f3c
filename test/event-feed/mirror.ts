import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { eventsOf } from '../support/feed.js';
import type { TestUser } from '../support/world.js';

const TASK = `id title description points isDailyRoutine completionCount lastCompletedAt createdAt updatedAt archivedAt
  tags section colour icon reminders { at weekdays } schedule { kind weekdays everyDays }
  target { amount unit kind per } challengeTemplate { id }`;
const COMPLETION = 'id completedAt recordedAt day amount note points task { id }';
const PAUSE = 'id from until note task { id }';
const CHALLENGE = 'id status notes completedAt createdAt updatedAt template { id }';
const PROFILE = `id name email profilePicture language timeZone dayStartsAt weekStartsOn dayReminder points currentStreak
  maxStreak updatedAt emailConfirmedAt`;

const CHANGES = `query ($after: String) {
  events(after: $after, first: 100) {
    nodes {
      id number kind taskId completionId challengeId pauseId day
      task { ${TASK} } completion { ${COMPLETION} } challenge { ${CHALLENGE} } pause { ${PAUSE} }
    }
    pageInfo { hasNextPage endCursor }
  }
}`;

// biome-ignore lint/suspicious/noExplicitAny: it keeps what it is answered, whatever that is
type Row = any;

type Rows = Map<string, Row>;

async function pagesOf(user: TestUser, list: string, fields: string): Promise<Row[]> {
  const found: Row[] = [];
  for (let after: string | null = null; ; ) {
    const { page }: Row = await user.query(
      `query ($after: String) { page: ${list} after: $after) { nodes { ${fields} } pageInfo { hasNextPage endCursor } } }`,
      { after },
    );
    found.push(...page.nodes);
    if (!page.pageInfo.hasNextPage) return found;
    after = page.pageInfo.endCursor;
  }
}

const byId = (rows: readonly Row[]): Rows => new Map(rows.map((row) => [row.id, row]));

const orderOf = async (user: TestUser): Promise<string[]> =>
  (await pagesOf(user, 'tasks(archived: ANY', 'id')).map(({ id }) => id);

const profileOf = async (user: TestUser): Promise<Row> => (await user.query(`{ me { ${PROFILE} } }`)).me;

/** A copy of an account, by the lists as they are. */
async function copyOf(user: TestUser) {
  const tasks = await pagesOf(user, 'tasks(archived: ANY', TASK);
  const { me } = await user.query(`{ me { pauses { ${PAUSE} } } }`);
  const ofTasks = await pagesOf(user, 'tasks(archived: ANY', 'id pauses { id from until note }');
  const { skips } = (await user.rest.get('/account/export')).body;
  return {
    tasks: byId(tasks),
    order: tasks.map(({ id }) => id) as string[],
    completions: byId(await pagesOf(user, 'completions(', COMPLETION)),
    challenges: byId(await pagesOf(user, 'challenges(', CHALLENGE)),
    pauses: byId([
      ...me.pauses,
      ...ofTasks.flatMap(({ id, pauses }) => pauses.map((pause: Row) => ({ ...pause, task: { id } }))),
    ]),
    skips: new Set<string>(skips.map(({ task, date }: Row) => `${task} ${date}`)),
    profile: await profileOf(user),
  };
}

/** A program that keeps a copy of an account: it reads the lists once, and from then on the events alone. */
export class Mirror {
  private constructor(
    private user: TestUser,
    private copy: Awaited<ReturnType<typeof copyOf>>,
    private cursor: string,
  ) {}

  static async of(user: TestUser): Promise<Mirror> {
    const { me } = await user.query('{ me { lastEventNumber } }');
    return new Mirror(user, await copyOf(user), String(me.lastEventNumber));
  }

  async follow(): Promise<void> {
    for (;;) {
      const { events } = await this.user.query(CHANGES, { after: this.cursor });
      for (const event of events.nodes) await this.apply(event);
      this.cursor = events.pageInfo.endCursor;
      if (!events.pageInfo.hasNextPage) return;
    }
  }

  /** It is what the API answers; what led here is told if not. */
  async equals(): Promise<void> {
    await this.follow();
    const truth = await copyOf(this.user);
    if (isDeepStrictEqual(this.copy, truth)) return;
    const story = (await eventsOf(this.user)).slice(-12).map((event) => JSON.stringify(event));
    expect(this.copy, story.join('\n')).toEqual(truth);
  }

  private async apply(event: Row): Promise<void> {
    const { copy, user } = this;
    const { kind, taskId, completionId, challengeId, pauseId, day } = event;
    if (kind === 'IMPORTED') {
      this.copy = await copyOf(user);
      return;
    }
    put(copy.tasks, taskId, event.task);
    put(copy.completions, completionId, event.completion);
    put(copy.challenges, challengeId, event.challenge);
    put(copy.pauses, pauseId, event.pause);
    if (kind === 'DAY_SKIPPED') copy.skips.add(`${taskId} ${day}`);
    if (kind === 'DAY_UNSKIPPED') copy.skips.delete(`${taskId} ${day}`);
    if (kind === 'TASK_DELETED') this.forget(taskId);
    if (/^TASK_(CREATED|MOVED|DELETED)/.test(kind)) copy.order = await orderOf(user);
    if (/^(COMPLETION_|PROFILE_|STREAK_|TASK_DELETED)/.test(kind)) copy.profile = await profileOf(user);
  }

  /** What is of a task goes with it. */
  private forget(taskId: string): void {
    const { completions, pauses, skips } = this.copy;
    for (const rows of [completions, pauses])
      for (const [id, { task }] of rows) if (task?.id === taskId) rows.delete(id);
    for (const skip of skips) if (skip.startsWith(`${taskId} `)) skips.delete(skip);
  }
}

function put(rows: Rows, id: string | null, row: Row): void {
  if (id === null) return;
  if (row) rows.set(id, row);
  else rows.delete(id);
}
