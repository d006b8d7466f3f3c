import { home } from './paths.js';
import type { Status } from './standing.js';

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

interface RingProps {
  status: Status;
  /** Of the goal, from 0 to 1: it is filled when that is reached. */
  share: number;
}

export const Ring = ({ status, share }: RingProps) => (
  <svg class={`ring ${status}${share >= 1 ? ' full' : ''}`} viewBox="0 0 24 24" aria-hidden="true">
    <circle cx="12" cy="12" r="10.5" />
    {share > 0 && (
      <circle class="share" cx="12" cy="12" r="10.5" pathLength="1" stroke-dasharray={`${share} 1`} />
    )}
    <path d={share >= 1 || status === 'waiting' || status === 'refused' ? PATHS[status] : ''} />
  </svg>
);

const SIGNS = {
  gear: 'M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6m-1.5-6h3l.6 2.6 1.8.8L18.200 5l2 2-1.300 2.200.7 1.900 2.600.6v3l-2.600.6-.7 1.800 1.300 2.300-2 2-2.300-1.300-1.800.7-.6 2.600h-3l-.6-2.600-1.800-.7-2.300 1.300-2-2 1.300-2.300-.7-1.800-2.600-.6v-3l2.600-.6.7-1.900L3.800 7l2-2 2.300 1.400 1.800-.8z',
  plus: 'M12 5v14m-7-7h14',
  search: 'M10.500 4a6.500 6.500 0 1 0 0 13 6.500 6.500 0 0 0 0-13m5 11.500L20 20',
};

export const Sign = ({ of }: { of: keyof typeof SIGNS }) => (
  <svg class="sign" viewBox="0 0 24 24" aria-hidden="true">
    <path d={SIGNS[of]} />
  </svg>
);
