import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';

interface ButtonProps {
  /** When it fails, the page says so as a whole. */
  act: () => unknown;
  /** Its class. */
  kind?: string;
  /** For those who do not see what it stands beside. */
  label?: string;
  isOff?: boolean;
  children: ComponentChildren;
}

/** What it waits for shows at once. */
export function Button({ act, kind = 'quiet', label, isOff, children }: ButtonProps) {
  const [isBusy, setBusy] = useState(false);
  const isThere = useRef(true);
  const press = async () => {
    const acting = isOff ? undefined : act();
    if (!(acting instanceof Promise)) return;
    setBusy(true);
    try {
      await acting;
    } finally {
      if (isThere.current) setBusy(false);
    }
  };
  return (
    <button
      type="button"
      class={kind}
      aria-label={label}
      aria-disabled={isOff}
      aria-busy={isBusy || undefined}
      onClick={() => void press()}
    >
      {children}
    </button>
  );
}
