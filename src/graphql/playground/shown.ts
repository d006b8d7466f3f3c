import { useSyncExternalStore } from 'react';

/** A value that the page shows, and follows when it changes. */
export class Shown<Value> {
  private readonly listeners = new Set<() => void>();

  constructor(private value: Value) {}

  readonly get = (): Value => this.value;

  readonly set = (value: Value): void => {
    this.value = value;
    for (const listener of this.listeners) listener();
  };

  readonly follow = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };
}

export const useShown = <Value>({ follow, get }: Shown<Value>): Value => useSyncExternalStore(follow, get);
