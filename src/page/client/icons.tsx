import { home } from './paths.js';
import type { Status } from './standing.js';
import type { Task } from './types.js';

/** The class by which all in it has the colour of a habit. */
export const colourOf = ({ colour }: Pick<Task, 'colour'>): string =>
  colour ? `colour-${colour.toLowerCase()}` : '';

export const Logo = () => <img class="logo" src={`${home}page/icon.svg`} alt="" />;

const CHECK = 'm7 12.5 3.5 3.5 6.5-8';

/** Each status has a shape of its own, so that none is told by its colour alone. */
const PATHS = {
  open: '',
  saving: CHECK,
  saved: CHECK,
  waiting: 'M12 7v5l3.5 2',
  refused: 'm8 8 8 8m0-8-8 8',
  over: 'M12 6.500v7m0 4v.01',
} satisfies Record<Mark, string>;

/** More than a limit allows has a mark of its own. */
type Mark = Status | 'over';

interface RingProps {
  status: Mark;
  /** Of the goal, from 0 to 1: it is filled when that is reached. */
  share: number;
  icon?: string | null;
  /** It may be full, and is not done. */
  isLimit?: boolean;
}

export const Ring = ({ status, share, icon = null, isLimit = false }: RingProps) => {
  const isMarked = (share >= 1 && !isLimit) || ['waiting', 'refused', 'over'].includes(status);
  return (
    <span class="ring-frame" aria-hidden="true">
      <svg
        class={`ring ${status}${share >= 1 && !isLimit ? ' full' : ''}`}
        viewBox="0 0 24 24"
        aria-hidden="true"
      >
        <circle cx="12" cy="12" r="10.5" />
        {share > 0 && (
          <circle class="share" cx="12" cy="12" r="10.5" pathLength="1" stroke-dasharray={`${share} 1`} />
        )}
        <path d={isMarked ? PATHS[status] : ''} />
      </svg>
      {icon && !isMarked && <span class="icon">{icon}</span>}
    </span>
  );
};

export const Flame = () => (
  <svg class="flame" viewBox="0 0 24 24" aria-hidden="true">
    <path d="M12 2c1 4 6 6 6 12a6 6 0 0 1-12 0c0-3 2-4 2.500-6.500C10 9 10.500 10 11 11c1.500-2.500 1.500-6 1-9" />
  </svg>
);

const SPARKS = [
  ...['#e0455a', '#f0a020', '#2fa36b', '#2f7fe0', '#9b5de5', '#e0559a'],
  ...['#12a5a5', '#d1c410', '#6a8f1f', '#4b5be0', '#e0702a', '#8a8f98'],
];

export const Sparks = () => (
  <span class="sparks" aria-hidden="true">
    {SPARKS.map((spark, turn) => (
      <i key={spark} style={{ '--turn': turn, '--spark': spark }} />
    ))}
  </span>
);

const SIGNS = {
  board:
    'M4 5h4v4H4zm6 0h4v4h-4zm6 0h4v4h-4zM4 11h4v4H4zm6 0h4v4h-4zm6 0h4v4h-4zM4 17h4v3H4zm6 0h4v3h-4zm6 0h4v3h-4z',
  back: 'm14 6-6 6 6 6',
  close: 'm6 6 12 12M18 6 6 18',
  gear: 'M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6m-1.5-6h3l.6 2.6 1.8.8L18.200 5l2 2-1.300 2.200.7 1.900 2.600.6v3l-2.600.6-.7 1.800 1.300 2.300-2 2-2.300-1.300-1.800.7-.6 2.600h-3l-.6-2.600-1.800-.7-2.300 1.300-2-2 1.300-2.300-.7-1.800-2.600-.6v-3l2.600-.6.7-1.900L3.800 7l2-2 2.300 1.400 1.800-.8z',
  plus: 'M12 5v14m-7-7h14',
  search: 'M10.500 4a6.500 6.500 0 1 0 0 13 6.500 6.500 0 0 0 0-13m5 11.500L20 20',
};

export const Sign = ({ of }: { of: keyof typeof SIGNS }) => (
  <svg class="sign" viewBox="0 0 24 24" aria-hidden="true">
    <path d={SIGNS[of]} />
  </svg>
);
