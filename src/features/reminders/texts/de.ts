import type { MessageTexts } from './en.js';

export const de: MessageTexts = {
  habits: (count) => (count === 1 ? '1 Gewohnheit' : `${count} Gewohnheiten`),
  left: (count, names) => `Noch ${count}: ${names}.`,
  open: 'Heute noch nicht erledigt.',
  amountOf: (amount, target, unit) => `${amount} von ${target} ${unit}`,
  run: {
    DAYS: (count) => (count === 1 ? 'Bisher 1 Tag.' : `${count} Tage in Folge.`),
    TIMES: (count) => (count === 1 ? 'Bisher einmal.' : `${count}-mal in Folge.`),
    WEEKS: (count) => (count === 1 ? 'Bisher 1 Woche.' : `${count} Wochen in Folge.`),
    MONTHS: (count) => (count === 1 ? 'Bisher 1 Monat.' : `${count} Monate in Folge.`),
  },
  runEnds: (days) => `Deine Serie von ${days === 1 ? '1 Tag' : `${days} Tagen`} endet heute Nacht.`,
  done: 'Erledigt',
  testTitle: 'Steady',
  test: 'Erinnerungen kommen hier an.',
};
