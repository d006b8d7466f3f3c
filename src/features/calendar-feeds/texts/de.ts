import type { CalendarFeedTexts } from './en.js';

export const de: CalendarFeedTexts = {
  pause: 'Pause',
  pauseOf: (habit) => `Pause: ${habit}`,
  done: (link) => `Erledigt? ${link}`,
};
