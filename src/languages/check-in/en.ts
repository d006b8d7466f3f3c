export const en = {
  done: 'Done',
  undo: 'Undo',
  isDone: 'Done today',
  isOpen: 'Not done yet today',
  amountOf: (amount: string, target: string, unit: string) => `${amount} of ${target} ${unit}`,
  counted: 'Recorded.',
  countedBefore: 'That was recorded already.',
  takenBack: 'Taken back.',
  failed: 'That was not saved. Please try again.',
  unknown: 'This link is not known. It may have been taken back.',
  gone: 'This link can no longer be used.',
};

export type CheckInTexts = typeof en;
