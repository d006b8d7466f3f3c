import type { CheckInTexts } from './en.js';

export const fr: CheckInTexts = {
  done: 'Fait',
  undo: 'Annuler',
  isDone: 'Fait aujourd’hui',
  isOpen: 'Pas encore fait aujourd’hui',
  amountOf: (amount, target, unit) => `${amount} sur ${target} ${unit}`,
  countedBefore: 'C’était déjà noté.',
  takenBack: 'C’est annulé.',
  failed: 'Cela n’a pas été enregistré. Réessayez.',
  unknown: 'Ce lien n’existe pas. Il a peut-être été révoqué.',
  gone: 'Ce lien ne peut plus être utilisé.',
};
