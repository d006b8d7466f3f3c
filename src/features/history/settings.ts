import { type ValuesOf, whole } from '../../base/config/setting.js';

const settings = {
  backdateHours: whole(
    'BACKDATE_HOURS',
    'How many hours ago a completion may have been done that is recorded or taken back now. 0: only those of today.',
    168,
    [0, 8_760],
  ),
};

declare module '../../base/config/setting.js' {
  interface SettingsOfFeatures extends ValuesOf<typeof settings> {}
}

export const historySettings = { settings };
