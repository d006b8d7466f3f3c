import './dialog-views.css';
import './print.css';

// They are opened in turn, and are kept on the device together: as one file they are a seventh smaller.
export { Account } from '../account/account-view.js';
export { Settings } from '../account/settings.js';
export { Board } from '../board/board.js';
export { BoardCard } from '../board/board-card.js';
export { Habit } from '../habit/habit.js';
export { Menu } from '../habit/menu.js';
export { TaskForm } from '../habit/task-form.js';
export { Archived } from '../today/archived.js';
export { Arrangement } from '../today/arrangement.js';
export { Entry } from '../today/entry.js';
export { Timer } from '../today/timer.js';
export { Keys } from './keys.js';
export { Questions } from './questions.js';
