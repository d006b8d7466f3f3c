/** The state of the last subscription of this window; null before the first one. */
export type LiveState = 'running' | 'ended' | null;

const listeners = new Set<() => void>();
let state: LiveState = null;

export const liveState = () => state;

export function onLiveChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function setLiveState(next: LiveState): void {
  state = next;
  for (const listener of listeners) listener();
}
