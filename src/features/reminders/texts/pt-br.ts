import type { MessageTexts } from './en.js';

export const ptBr: MessageTexts = {
  habits: (count) => (count === 1 ? '1 hábito' : `${count} hábitos`),
  left: (count, names) => `${count === 1 ? 'Falta 1' : `Faltam ${count}`}: ${names}.`,
  open: 'Ainda não feito hoje.',
  amountOf: (amount, target, unit) => `${amount} de ${target} ${unit}`,
  run: {
    DAYS: (count) => (count === 1 ? '1 dia até agora.' : `${count} dias seguidos.`),
    TIMES: (count) => (count === 1 ? 'Uma vez até agora.' : `${count} vezes seguidas.`),
    WEEKS: (count) => (count === 1 ? '1 semana até agora.' : `${count} semanas seguidas.`),
    MONTHS: (count) => (count === 1 ? '1 mês até agora.' : `${count} meses seguidos.`),
  },
  runEnds: (days) => `Sua sequência de ${days === 1 ? '1 dia' : `${days} dias`} termina hoje à noite.`,
  done: 'Feito',
  testTitle: 'Steady',
  test: 'Os lembretes chegam aqui.',
};
