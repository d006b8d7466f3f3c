import { home } from './paths.js';
import type { Status } from './task-status.js';

export const Logo = () => <img class="logo" src={`${home}page/icon.svg`} alt="" />;

const CHECK = 'm7 12.5 3.5 3.5 6.5-8';

/** Each status has a shape of its own, so that none is told by its colour alone. */
const PATHS = {
  open: '',
  saving: CHECK,
  saved: CHECK,
  waiting: 'M12 7v5l3.5 2',
  refused: 'm8 8 8 8m0-8-8 8',
} satisfies Record<Status, string>;

export const StatusIcon = ({ status }: { status: Status }) => (
  <svg class={`status ${status}`} viewBox="0 0 24 24" aria-hidden="true">
    <circle cx="12" cy="12" r="10.5" />
    <path d={PATHS[status]} />
  </svg>
);
