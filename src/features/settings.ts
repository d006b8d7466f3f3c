import { type Config, ownSettings, readSettings } from '../base/config.js';
import { accountSettings } from './account/settings.js';
import { historySettings } from './history/settings.js';
import { mailSettings } from './mail/settings.js';
import { reminderSettings } from './reminders/settings.js';
import { signInSettings } from './sign-in/settings.js';
import { webhookSettings } from './webhooks/settings.js';

/** Apart from the features, which declare them too: what only reads settings loads no service. */
export const settingsOfFeatures = [
  ...[accountSettings, mailSettings, signInSettings, historySettings, reminderSettings],
  webhookSettings,
];

const all = [ownSettings, ...settingsOfFeatures];

/** All variables that the service reads. */
export const settings = Object.assign({}, ...all.map((each) => each.settings)) as typeof ownSettings.settings;

export const readConfig = (given?: NodeJS.ProcessEnv): Config => readSettings(all, given);
