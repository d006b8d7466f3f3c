import { CheckInLinks } from './check-in-links.js';
import { HabitReminders, Times } from './habit-reminders.js';
import { inWords } from './reminder-texts.js';
import { Reminders } from './reminders-view.js';

// What few visits need, each with its words.

export const habitReminders = () => inWords(HabitReminders);

export const times = () => inWords(Times);

export const checkInLinks = () => inWords(CheckInLinks);

export const reminders = () => inWords(Reminders);

export { enteredReminders, leadToChannels, offerReminder } from './habit-reminders.js';
export { ringHereNoMore, ringHereStill, ringingHere } from './push.js';
