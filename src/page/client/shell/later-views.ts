import { ApiTokens } from '../account/api-tokens.js';
import { Calendars } from '../calendars/calendars.js';
import { CheckInLinks } from '../check-in/check-in-links.js';
import { HabitReminders, Times } from '../reminders/habit-reminders.js';
import { Reminders } from '../reminders/reminders-view.js';
import { inWords } from '../ui/later-words.js';
import { Webhooks } from '../webhooks/webhooks.js';

// These views are needed by few visits, of no use without the service, and most come with their words.

export const habitReminders = () => inWords(HabitReminders);

export const times = () => inWords(Times);

export const checkInLinks = () => inWords(CheckInLinks);

export const apiTokens = () => inWords(ApiTokens);

export const calendars = () => inWords(Calendars);

export const webhooks = () => inWords(Webhooks);

export const reminders = () => inWords(Reminders);

export { enteredReminders, leadToChannels, offerReminder } from '../reminders/habit-reminders.js';
export { Travel } from './travel.js';
