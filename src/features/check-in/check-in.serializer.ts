import { flag, number, objectOf, optionalNumber, optionalText, text, whole } from '../../rest/serializer.js';
import type { CheckedIn } from './check-in.service.js';
import { CheckInLink } from './check-in-link.entity.js';

/** `amount` is what the day's amounts add up to. */
export const checkedInSerializer = objectOf<CheckedIn>(
  'CheckedIn',
  CheckInLink,
  {
    task: text(({ task }) => task.title, 'The name of the task.'),
    day: text(({ day }) => day, "The user's day that the link is for."),
    done: flag(({ today }) => today.state === 'KEPT', 'Whether the goal of the day is reached.'),
    amount: number(({ today }) => today.amount, 'What the amounts of the day add up to.'),
    target: optionalNumber(
      ({ task }) => task.targetAmount,
      'What they must add up to; null without a target.',
    ),
    unit: optionalText(({ task }) => task.targetUnit, 'The unit of the target; null without a target.'),
    streak: whole(({ streak }) => streak.count, 'How long the streak of the task is.'),
    counted: flag(({ counted }) => counted, 'Whether something was recorded just now.'),
  },
  'How the task of a check-in link stands.',
);
