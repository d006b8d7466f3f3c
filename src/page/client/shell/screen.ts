import { ask, hasTokenEnded, NoAnswer, sentenceOf } from '../sync/api.js';
import { FIRST_SCREEN, MORE_ARCHIVED, MORE_TASKS } from '../sync/documents.js';
import { merged, type News } from '../sync/merge.js';
import { forgetScreen, keepNoted, keepScreen, screenOf, tapsOf } from '../sync/storage.js';
import { get, NO_CHOICE, NO_NOTICE, set, tell } from '../sync/store.js';
import { withoutOnTheirWay } from '../sync/turns.js';
import type { Screen, Task, User } from '../sync/types.js';
import { asOf } from '../today/days.js';
import { now } from './clock.js';
import { currentSession, keepSession, type Session } from './session.js';

interface PageOf<Node> {
  nodes: Node[];
  pageInfo: { hasNextPage: boolean; endCursor: string };
}

interface FirstScreen {
  me: User;
  tasks: PageOf<Task>;
  archived: PageOf<Screen['archived'][number]>;
  reminderService: { kinds: string[] };
}

let asked = 0;
/** What came while a question was on its way. */
let learned: News[] = [];

/** How often in a row is asked what is asked anyway, until nothing has come in between. */
const MOST_ASKED = 3;

let latest = Promise.resolve();

/** Asks for all that is shown. The latest question wins: an earlier one waits for it. */
export async function refresh(): Promise<void> {
  const asking = readScreen();
  latest = asking;
  await asking;
  if (latest !== asking) await latest;
}

/** Asks once more after what is asked already, whose answer may be the only one. */
export const refreshAgain = (): Promise<void> => latest.then(refresh);

async function readScreen(): Promise<void> {
  const { session } = get();
  if (!session?.token) return;
  asked += 1;
  const turn = asked;
  try {
    for (let left = MOST_ASKED; turn === asked && left > 0; left -= 1) {
      learned = [];
      const screen = await firstScreen(session.token);
      const isLast = learned.length === 0 || left === 1;
      // What was told meanwhile may be newer. Where it never ends, more of it will mend what is not.
      if (isLast && turn === asked && get().session?.token === session.token)
        return show(learned.reduce(merged, { ...screen, tasks: withoutOnTheirWay(screen.tasks) }));
    }
  } catch (error) {
    failed(error);
  }
}

async function firstScreen(token: string): Promise<Screen> {
  const { me, tasks, archived, reminderService } = await ask<FirstScreen>(FIRST_SCREEN, {}, token);
  return {
    user: me,
    tasks: await withMore(tasks, MORE_TASKS, token),
    archived: await withMore(archived, MORE_ARCHIVED, token),
    canRemind: reminderService.kinds.length > 0,
  };
}

/** Each once: what is moved between two questions may be on both pages. */
async function withMore<Node extends { id: string }>(
  first: PageOf<Node>,
  document: string,
  token: string,
): Promise<Node[]> {
  const byId = new Map(first.nodes.map((node) => [node.id, node]));
  let { hasNextPage, endCursor } = first.pageInfo;
  while (hasNextPage) {
    const { tasks } = await ask<{ tasks: PageOf<Node> }>(document, { after: endCursor }, token);
    for (const node of tasks.nodes) byId.set(node.id, node);
    ({ hasNextPage, endCursor } = tasks.pageInfo);
  }
  return [...byId.values()];
}

function show(screen: Screen): void {
  set({ screen, isOnline: true });
  keepScreen(screen).catch(() => {}); // it is for the next time without a network
}

/** Shows what an answer or an event tells. */
export function learn(news: News): void {
  const { screen } = get();
  if (!screen) return;
  learned.push(news);
  show(merged(screen, news));
  if (news.user.today !== screen.user.today) void refresh(); // of the other habits the news told nothing
}

/** What this device knows, before the service has answered, or when it does not. */
export async function restore(): Promise<void> {
  const { session } = get();
  if (!session) return;
  const { userId } = session;
  await keepNoted();
  const [screen, taps] = await Promise.all([
    screenOf(userId).catch(() => undefined), // the service tells it anew
    tapsOf(userId),
  ]);
  if (get().session?.userId !== session.userId) return;
  const shown = get().session?.token ? (get().screen ?? (screen ? asOf(screen, now()) : null)) : null;
  set({ taps, screen: shown });
}

/** What is common to all failures. Returns whether the person need not be told anything else. */
export function failed(error: unknown): boolean {
  if (hasTokenEnded(error)) {
    endSession(error.token);
    return true;
  }
  const isPassing = error instanceof NoAnswer;
  if (isPassing) set({ isOnline: false });
  if (!isPassing || error.sentence) tell(sentenceOf(error));
  return isPassing;
}

/** What is shown of a person. */
const NOTHING_SHOWN = {
  ...{ screen: null, taps: [], toast: null, held: null, dialog: null, beside: null },
  ...NO_NOTICE,
  ...NO_CHOICE,
};

/** Asks to log in again. What waits to be sent goes on waiting; nothing else of the person stays on this device. */
export function endSession(token: string | null): void {
  const session = currentSession();
  const isNewer = session?.token !== token; // of another window
  if (!session || isNewer) {
    set({ session });
    return;
  }
  const ended = { ...session, token: null };
  keepSession(ended);
  showNothingOf(ended);
  void forget(ended).catch(() => {});
}

/** Reads who it was where nothing was shown yet. */
async function forget(ended: Session): Promise<void> {
  const kept = get().email ? undefined : await screenOf(ended.userId);
  const { session, email } = get();
  const isStillOut = session?.userId === ended.userId && session.token === null;
  if (kept && isStillOut && !email) set({ email: kept.user.email });
  await forgetScreen(ended.userId);
}

/** What waits is counted for whoever logs in again. */
export function showNothingOf(session: Session | null): void {
  const { taps, screen, email } = get();
  set({
    session,
    ...NOTHING_SHOWN,
    ...(session && { taps }),
    email: session ? (screen?.user.email ?? email) : '',
  });
}
