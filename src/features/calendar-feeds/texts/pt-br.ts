import type { CalendarFeedTexts } from './en.js';

export const ptBr: CalendarFeedTexts = {
  pause: 'Pausa',
  pauseOf: (habit) => `Pausa: ${habit}`,
  done: (link) => `Feito? ${link}`,
};
