import { oneOf, type ValuesOf, whole } from '../../base/config/setting.js';

const settings = {
  signUp: oneOf('SIGN_UP', 'open', ['open', 'oidc', 'closed']),
  loginAttemptsPerAccount: whole('LOGIN_ATTEMPTS_PER_ACCOUNT', 10, 1, 1_000_000),
  loginAttemptsPerAddress: whole('LOGIN_ATTEMPTS_PER_ADDRESS', 300, 1, 1_000_000),
  loginWindow: whole('LOGIN_WINDOW', 900, 1, 86_400),
};

declare module '../../base/config/setting.js' {
  interface SettingsOfFeatures extends ValuesOf<typeof settings> {}
}

export const accountSettings = { settings };
