import type { MessageTexts } from './en.js';

export const es: MessageTexts = {
  habits: (count) => (count === 1 ? '1 hábito' : `${count} hábitos`),
  left: (count, names) => `${count === 1 ? 'Queda 1' : `Quedan ${count}`}: ${names}.`,
  open: 'Hoy aún sin hacer.',
  amountOf: (amount, target, unit) => `${amount} de ${target} ${unit}`,
  run: {
    DAYS: (count) => (count === 1 ? '1 día hasta ahora.' : `${count} días seguidos.`),
    TIMES: (count) => (count === 1 ? 'Una vez hasta ahora.' : `${count} veces seguidas.`),
    WEEKS: (count) => (count === 1 ? '1 semana hasta ahora.' : `${count} semanas seguidas.`),
    MONTHS: (count) => (count === 1 ? '1 mes hasta ahora.' : `${count} meses seguidos.`),
  },
  runEnds: (days) => `Tu racha de ${days === 1 ? '1 día' : `${days} días`} termina esta noche.`,
  done: 'Hecho',
  testTitle: 'Steady',
  test: 'Los recordatorios llegan aquí.',
};
