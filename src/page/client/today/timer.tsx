import { useEffect, useState } from 'preact/hooks';
import { newKey } from '../../../../packages/client/src/key.js';
import { keepSetting, setting } from '../shell/session.js';
import { alone } from '../shell/tabs.js';
import { get, type State, set } from '../sync/store.js';
import { record } from '../sync/taps.js';
import type { Screen, Task } from '../sync/types.js';
import { Button } from '../ui/button.js';
import { t } from '../ui/language.js';
import { clockOf, minutesIn, timed } from './timing.js';

/** What runs on this device, and survives a reload. What it adds has its key: however it is stopped, it counts once. */
interface Running {
  key: string;
  userId: string;
  taskId: string;
  /** In milliseconds. */
  from: number;
}

function running(): Running | null {
  const kept = setting('timer');
  return kept ? (JSON.parse(kept) as Running) : null;
}

function keep(timer: Running | null): void {
  keepSetting('timer', timer ? JSON.stringify(timer) : '');
  set({});
}

export const canBeTimed = ({ target }: Task): boolean => minutesIn(target?.unit) > 0 && !setting('timer');

export function startTimer({ id }: Task): void {
  const userId = get().session?.userId;
  if (userId) keep({ key: newKey(), userId, taskId: id, from: Date.now() });
}

/** In whichever window it is stopped first. */
async function stop(task: Task, today: string): Promise<void> {
  let recording: Promise<void> | undefined;
  await alone('timer', async () => {
    const timer = running();
    if (!timer) return;
    const amount = timed(Date.now() - timer.from, task.target?.unit ?? '');
    if (amount > 0) recording = record(task, today, amount, null, timer.key); // noted before it returns
    keep(null);
  });
  await recording;
}

/** Above the bar, and in the title of the window. */
export function Timer({ state, screen }: { state: State; screen: Screen }) {
  const [now, setNow] = useState(Date.now());
  const timer = running();
  const isOwn = timer?.userId === state.session?.userId;
  const task = isOwn ? screen.tasks.find(({ id }) => id === timer?.taskId) : undefined;
  const said = timer && task ? `${clockOf(now - timer.from)} · ${task.title}` : 'Steady';
  useEffect(() => {
    const ticking = setInterval(() => setNow(Date.now()), 1_000);
    return () => {
      clearInterval(ticking);
      document.title = 'Steady';
    };
  }, []);
  useEffect(() => {
    document.title = said;
  }, [said]);
  if (!task) return null;
  return (
    <div class="toast" role="timer">
      <p>{said}</p>
      <Button kind="link" act={() => keep(null)}>
        {t.timer.discard}
      </Button>
      <Button kind="link" act={() => stop(task, screen.user.today)}>
        {t.timer.stop}
      </Button>
    </div>
  );
}
