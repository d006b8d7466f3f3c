import type { Refusal } from '../../../../packages/client/src/sender.js';
import type { Tap } from './types.js';

/** Does what may change taps, by their keys, alone among all windows. */
export type WithTaps = <T>(work: (taps: Map<string, Tap>) => T) => Promise<T>;

/** Oldest first. */
export const ofUser = (taps: ReadonlyMap<string, Tap>, userId: string): Tap[] =>
  [...taps.values()].filter((tap) => tap.userId === userId).sort((one, other) => one.at - other.at);

/** What becomes of taps where they wait. */
export const keptTaps = (withTaps: WithTaps) => {
  /** Changes what is still there, as it is there: another window may have sent or removed it meanwhile. False then. */
  const change = (key: string, become: (tap: Tap) => Tap | null): Promise<boolean> =>
    withTaps((taps) => {
      const found = taps.get(key);
      const changed = found && become(found);
      if (changed) taps.set(key, changed);
      else taps.delete(key);
      return found !== undefined;
    });

  return {
    change,
    /**
     * Those that are due, and are noted as sent from here on; then one that is to be undone and has an id. Taps of a habit
     * wait until its own are undone: what counts once must not find them.
     */
    take: (userId: string, most: number): Promise<Tap[]> =>
      withTaps((taps) => {
        const due = ofUser(taps, userId).filter(({ refusal }) => !refusal);
        const undone = due.filter(({ isUndone }) => isUndone);
        const inDoubt = new Set(undone.map(({ taskId }) => taskId));
        const taken = due
          .filter((tap) => (tap.isUndone ? !tap.completionId : !inDoubt.has(tap.taskId)))
          .slice(0, most)
          .map((tap) => ({ ...tap, isSent: true }));
        for (const tap of taken) taps.set(tap.key, tap);
        return taken.length > 0 ? taken : undone.slice(0, 1);
      }),
    counted: ({ key }: Tap, completionId: string, isDoneAlready: boolean) =>
      change(key, (kept) => (kept.isUndone && !isDoneAlready ? { ...kept, completionId } : null)),
    again: ({ key }: Tap, countsOnArrival: boolean) => change(key, (kept) => ({ ...kept, countsOnArrival })),
    refuse: ({ key }: Tap, { reason, message }: Refusal) =>
      change(key, (kept) => (kept.isUndone ? null : { ...kept, refusal: { reason, message } })),
    /** What may have been counted is taken back after that is known, all else is gone at once. */
    takeBack: (key: string) =>
      change(key, (kept) => (kept.isSent && !kept.refusal ? { ...kept, isUndone: true } : null)),
  };
};
