import type { State } from '../sync/store.js';
import { useAfterTaps } from '../ui/answer.js';
import { t } from '../ui/language.js';
import { Board } from './board.js';

/** On a desk, where it is seen beside the list. */
export const BoardCard = ({ state }: { state: State }) => (
  <div class="card">
    <h2>{t.board.title}</h2>
    <Board state={useAfterTaps(state)} />
  </div>
);
