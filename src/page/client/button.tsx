import type { ComponentChildren } from 'preact';

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

export const Button = ({ act, kind = 'quiet', label, isOff, children }: ButtonProps) => (
  <button
    type="button"
    class={kind}
    aria-label={label}
    aria-disabled={isOff}
    onClick={() => void (isOff || act())}
  >
    {children}
  </button>
);
