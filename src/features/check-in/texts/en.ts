export const en = {
  done: 'Done',
  undo: 'Undo',
  isDone: 'Done today',
  isOpen: 'Not done yet today',
  amountOf: (amount: string, target: string, unit: string) => `${amount} of ${target} ${unit}`,
  countedBefore: 'That was recorded already.',
  takenBack: 'Undone.',
  failed: 'That was not saved. Please try again.',
  unknown: 'This link is not known. It may have been revoked.',
  gone: 'This link can no longer be used.',
};

export type CheckInTexts = typeof en;
