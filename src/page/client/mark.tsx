import type { State } from './words.js';

const CHECK = 'm7 12.5 3.5 3.5 6.5-8';

/** Each state has a shape of its own, so that none is told by its colour alone. */
const PATHS = {
  open: '',
  saving: CHECK,
  saved: CHECK,
  waiting: 'M12 7v5l3.5 2',
  refused: 'm8 8 8 8m0-8-8 8',
} satisfies Record<State, string>;

export const Mark = ({ state }: { state: State }) => (
  <svg class={`mark ${state}`} viewBox="0 0 24 24" aria-hidden="true">
    <circle cx="12" cy="12" r="10.5" />
    <path d={PATHS[state]} />
  </svg>
);
