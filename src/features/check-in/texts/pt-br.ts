import type { CheckInTexts } from './en.js';

export const ptBr: CheckInTexts = {
  done: 'Feito',
  undo: 'Desfazer',
  isDone: 'Feito hoje',
  isOpen: 'Ainda não foi feito hoje',
  amountOf: (amount, target, unit) => `${amount} de ${target} ${unit}`,
  countedBefore: 'Já estava registrado.',
  takenBack: 'Desfeito.',
  failed: 'Não foi salvo. Tente de novo.',
  unknown: 'Este link não existe. Talvez tenha sido revogado.',
  gone: 'Este link não pode mais ser usado.',
};
