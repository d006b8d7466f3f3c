import type { CheckInTexts } from './en.js';

export const es: CheckInTexts = {
  done: 'Hecho',
  undo: 'Deshacer',
  isDone: 'Hecho hoy',
  isOpen: 'Hoy aún no está hecho',
  amountOf: (amount, target, unit) => `${amount} de ${target} ${unit}`,
  countedBefore: 'Ya estaba anotado.',
  takenBack: 'Deshecho.',
  failed: 'No se ha guardado. Inténtalo de nuevo.',
  unknown: 'Este enlace no existe. Puede que se haya revocado.',
  gone: 'Este enlace ya no se puede usar.',
};
