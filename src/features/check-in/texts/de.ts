import type { CheckInTexts } from './en.js';

export const de: CheckInTexts = {
  done: 'Erledigt',
  undo: 'Rückgängig',
  isDone: 'Heute erledigt',
  isOpen: 'Heute noch nicht erledigt',
  amountOf: (amount, target, unit) => `${amount} von ${target} ${unit}`,
  countedBefore: 'Das war schon eingetragen.',
  takenBack: 'Rückgängig gemacht.',
  failed: 'Das wurde nicht gespeichert. Bitte noch einmal versuchen.',
  unknown: 'Dieser Link ist nicht bekannt. Vielleicht wurde er widerrufen.',
  gone: 'Dieser Link kann nicht mehr benutzt werden.',
};
