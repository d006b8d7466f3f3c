import type { MessageTexts } from './en.js';

export const fr: MessageTexts = {
  habits: (count) => (count < 2 ? `${count} habitude` : `${count} habitudes`),
  left: (count, names) => `Il en reste ${count} : ${names}.`,
  open: 'Pas encore fait aujourd’hui.',
  amountOf: (amount, target, unit) => `${amount} sur ${target} ${unit}`,
  run: {
    DAYS: (count) => (count === 1 ? '1 jour jusqu’ici.' : `${count} jours de suite.`),
    TIMES: (count) => (count === 1 ? 'Une fois jusqu’ici.' : `${count} fois de suite.`),
    WEEKS: (count) => (count === 1 ? '1 semaine jusqu’ici.' : `${count} semaines de suite.`),
    MONTHS: (count) => (count === 1 ? '1 mois jusqu’ici.' : `${count} mois de suite.`),
  },
  runEnds: (days) => `Votre série de ${days === 1 ? '1 jour' : `${days} jours`} se termine cette nuit.`,
  done: 'Fait',
  testTitle: 'Steady',
  test: 'Les rappels arrivent ici.',
};
