import { useEffect, useState } from 'preact/hooks';
import { t } from './language.js';
import { get } from './store.js';

/** What is asked for when a view is opened, and anew with another key; and the way to ask again. */
export function useAnswer<Answer>(
  ask: () => Promise<Answer>,
  key?: string,
): [answer: Answer | undefined, again: () => Promise<void>] {
  const [answer, setAnswer] = useState<Answer>();
  const again = async () => {
    const given = await ask();
    setAnswer(() => given);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: each drawing has another function
  useEffect(() => void again(), [key]);
  return [answer, again];
}

/** In the place of what is asked for. */
export const Waiting = () => <p class="about">{get().isOnline ? t.common.loading : t.common.noConnection}</p>;
