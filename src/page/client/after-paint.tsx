import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** For what takes long: the list is painted first, and not kept waiting. */
export function AfterPaint({ children }: { children: ComponentChildren }) {
  const [isPainted, setPainted] = useState(false);
  useEffect(() => setPainted(true), []);
  return isPainted ? children : null;
}
