import type { CalendarFeedTexts } from './en.js';

export const es: CalendarFeedTexts = {
  pause: 'Pausa',
  pauseOf: (habit) => `Pausa: ${habit}`,
  done: (link) => `¿Hecho? ${link}`,
};
