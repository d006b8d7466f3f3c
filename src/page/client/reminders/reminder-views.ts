import { ApiTokens } from '../account/api-tokens.js';
import { Calendars } from '../calendars/calendars.js';
import { CheckInLinks } from '../check-in/check-in-links.js';
import { Webhooks } from '../webhooks/webhooks.js';
import { HabitReminders, Times } from './habit-reminders.js';
import { inWords } from './reminder-texts.js';
import { Reminders } from './reminders-view.js';

// These views are needed by few visits, and come with their words.

export const habitReminders = () => inWords(HabitReminders);

export const times = () => inWords(Times);

export const checkInLinks = () => inWords(CheckInLinks);

export const apiTokens = () => inWords(ApiTokens);

export const calendars = () => inWords(Calendars);

export const webhooks = () => inWords(Webhooks);

export const reminders = () => inWords(Reminders);

export { enteredReminders, leadToChannels, offerReminder } from './habit-reminders.js';
