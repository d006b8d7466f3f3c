import './dialog-views.css';

/** Small ones that are opened in turn: one file. */
export { Arrangement } from './arrangement.js';
export { Board } from './board.js';
export { Entry } from './entry.js';
export { Keys } from './keys.js';
export { Menu } from './menu.js';
export { Question } from './question.js';
