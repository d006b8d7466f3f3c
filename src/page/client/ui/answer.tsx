import { useEffect, useState } from 'preact/hooks';
import { get } from '../sync/store.js';
import { t } from './language.js';

/** Asks when a view is opened, with another key, and when the connection is back. Answers the way to ask again, too. */
export function useAnswer<Answer>(
  ask: () => Promise<Answer>,
  key?: string,
): [answer: Answer | undefined, again: () => Promise<void>] {
  const [answer, setAnswer] = useState<Answer>();
  const again = async () => {
    const given = await ask();
    setAnswer(() => given);
  };
  const { isOnline } = get();
  // biome-ignore lint/correctness/useExhaustiveDependencies: each drawing has another function
  useEffect(() => {
    if (isOnline || !answer) void again();
  }, [key, isOnline]);
  return [answer, again];
}

/** In milliseconds. */
const AFTER_A_TAP = 300;

/** The year and the board are as large as all the rest together: they do not keep a tap waiting. */
export function useAfterTaps<Value>(value: Value): Value {
  const [shown, setShown] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setShown(() => value), AFTER_A_TAP);
    return () => clearTimeout(timer);
  }, [value]);
  return shown;
}

/** It stands where the answer will be. */
export const Waiting = () => <p class="about">{get().isOnline ? t.common.loading : t.common.noConnection}</p>;
