import { home } from '../shell/paths.js';
import type { Task } from '../sync/types.js';
import type { Status } from '../today/standing.js';

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
  over: 'M12 6.5v7m0 4v.01',
} satisfies Record<Mark, string>;

/** More than a limit allows has a mark of its own. */
type Mark = Status | 'over';

interface RingProps {
  status: Mark;
  /** Of the goal, from 0 to 1: it is filled when that is reached. */
  share: number;
  /** Or a letter. */
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
    <path d="M12 2c1 4 6 6 6 12a6 6 0 0 1-12 0c0-3 2-4 2.5-6.5C10 9 10.5 10 11 11c1.5-2.5 1.5-6 1-9" />
  </svg>
);

const TURNS = [...Array(12).keys()];

export const Sparks = () => (
  <span class="sparks" aria-hidden="true">
    {TURNS.map((turn) => (
      <i key={turn} style={{ '--turn': turn }} />
    ))}
  </span>
);

const SIGNS = {
  board:
    'M4 5h4v4H4zm6 0h4v4h-4zm6 0h4v4h-4zM4 11h4v4H4zm6 0h4v4h-4zm6 0h4v4h-4zM4 17h4v3H4zm6 0h4v3h-4zm6 0h4v3h-4z',
  back: 'm14 6-6 6 6 6',
  close: 'm6 6 12 12M18 6 6 18',
  gear: 'M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6m-1.5-6h3l.6 2.6 1.8.8L18.2 5l2 2-1.3 2.2.7 1.9 2.6.6v3l-2.6.6-.7 1.8 1.3 2.3-2 2-2.3-1.3-1.8.7-.6 2.6h-3l-.6-2.6-1.8-.7-2.3 1.3-2-2 1.3-2.3-.7-1.8-2.6-.6v-3l2.6-.6.7-1.9L3.8 7l2-2 2.3 1.4 1.8-.8z',
  plus: 'M12 5v14m-7-7h14',
  search: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13m5 11.5L20 20',
};

export const Sign = ({ of }: { of: keyof typeof SIGNS }) => (
  <svg class="sign" viewBox="0 0 24 24" aria-hidden="true">
    <path d={SIGNS[of]} />
  </svg>
);
