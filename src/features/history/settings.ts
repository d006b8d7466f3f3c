import { type ValuesOf, whole } from '../../base/config/setting.js';

const settings = { backdateHours: whole('BACKDATE_HOURS', 168, 0, 8_760) };

declare module '../../base/config/setting.js' {
  interface SettingsOfFeatures extends ValuesOf<typeof settings> {}
}

export const historySettings = { settings };
