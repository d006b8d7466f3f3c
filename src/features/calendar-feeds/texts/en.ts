export const en = {
  pause: 'Pause',
  pauseOf: (habit: string) => `Pause: ${habit}`,
  done: (link: string) => `Done? ${link}`,
};

export type CalendarFeedTexts = typeof en;
