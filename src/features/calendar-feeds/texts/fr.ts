import type { CalendarFeedTexts } from './en.js';

export const fr: CalendarFeedTexts = {
  pause: 'Pause',
  pauseOf: (habit) => `Pause : ${habit}`,
  done: (link) => `C’est fait ? ${link}`,
};
