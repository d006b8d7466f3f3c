import type { Period } from './schedule.js';

export const TargetKind = { AT_LEAST: 'AT_LEAST', AT_MOST: 'AT_MOST' } as const;
export type TargetKind = keyof typeof TargetKind;

export const TargetPeriod = { DAY: 'DAY', WEEK: 'WEEK', MONTH: 'MONTH' } as const;
export type TargetPeriod = keyof typeof TargetPeriod;

/** As it is stored: no kind and no period where they are those of most targets, at least so much a day. */
export interface StoredTarget {
  targetAmount: number | null;
  targetUnit: string | null;
  targetKind: TargetKind | null;
  targetPeriod: TargetPeriod | null;
}

export interface TargetOfTask {
  amount: number;
  unit: string;
  kind: TargetKind;
  per: TargetPeriod;
}

export const NO_TARGET: StoredTarget = {
  targetAmount: null,
  targetUnit: null,
  targetKind: null,
  targetPeriod: null,
};

export function targetOf(stored: StoredTarget): TargetOfTask | null {
  const { targetAmount: amount, targetUnit: unit, targetKind, targetPeriod } = stored;
  if (amount === null || unit === null) return null;
  return { amount, unit, kind: targetKind ?? 'AT_LEAST', per: targetPeriod ?? 'DAY' };
}

export const storedTarget = ({ amount, unit, kind, per }: TargetOfTask): StoredTarget => ({
  targetAmount: amount,
  targetUnit: unit,
  targetKind: kind === 'AT_LEAST' ? null : kind,
  targetPeriod: per === 'DAY' ? null : per,
});

/** A limit asks for nothing and earns nothing: what is done of it is a record. */
export const isLimit = ({ targetKind }: Pick<StoredTarget, 'targetKind'>): boolean =>
  targetKind === 'AT_MOST';

/** Amounts are added up in thousandths, so that sums are exact. */
export const thousandthsOf = (amount: number): number => Math.round(amount * 1_000);

export const fromThousandths = (thousandths: number): number => thousandths / 1_000;

/** What a target is judged by: all but its unit. */
export type JudgedTarget = Omit<StoredTarget, 'targetUnit'>;

/** At least so much in each week or month. In thousandths. */
export interface PeriodTarget {
  per: Period;
  amount: number;
}

export function periodTargetOf(stored: JudgedTarget): PeriodTarget | null {
  const { targetAmount, targetPeriod } = stored;
  if (targetAmount === null || isLimit(stored) || (targetPeriod !== 'WEEK' && targetPeriod !== 'MONTH'))
    return null;
  return { per: targetPeriod, amount: thousandthsOf(targetAmount) };
}

/** Whether amounts add up by themselves: then a completion without one adds 1, and not the whole target of a day. */
const addsUp = ({ targetKind, targetPeriod }: JudgedTarget) => targetKind !== null || targetPeriod !== null;

/** What the amounts of a day must reach; null where any completion will do. */
export const targetOfDay = (stored: JudgedTarget): number | null =>
  addsUp(stored) ? null : stored.targetAmount;

/** What a completion without an amount adds. */
export const amountOfOne = (stored: JudgedTarget): number | null =>
  addsUp(stored) ? 1 : stored.targetAmount;
