import { oneOf, type ValuesOf } from '../../base/config/setting.js';

const settings = {
  signUp: oneOf(
    'SIGN_UP',
    '`oidc`: new people come in by the provider only; `closed`: only you [make accounts](#people).',
    'open',
    ['open', 'oidc', 'closed'],
  ),
};

declare module '../../base/config/setting.js' {
  interface SettingsOfFeatures extends ValuesOf<typeof settings> {}
}

export const accountSettings = { settings };
