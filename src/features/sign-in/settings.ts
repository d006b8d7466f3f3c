import { baseUrl, isLoopback, type Setting, text, type ValuesOf } from '../../base/config/setting.js';
import type { Declared } from '../../base/config/settings.js';

const settings = {
  oidcIssuer: {
    name: 'OIDC_ISSUER',
    about: 'The [provider of OpenID Connect](sign-in.md#one-log-in-for-all), as it calls itself.',
    unset: 'unset: none',
    allowed: 'the https address that the provider calls its issuer',
    read: (given) => (baseUrl(given) === undefined ? undefined : given), // kept to the letter, as the provider writes it
    fallback: undefined,
  } satisfies Setting<string | undefined>,
  oidcClientId: {
    ...text('OIDC_CLIENT_ID', 'The name that the provider knows this service by.'),
    unset: 'with `OIDC_ISSUER`',
  },
  oidcClientSecret: {
    ...text('OIDC_CLIENT_SECRET', 'The secret that the provider knows it by.'),
    unset: 'unset: a public client',
    secret: true,
    verbatim: true,
  },
  oidcName: {
    ...text('OIDC_NAME', 'What people call the provider: the word on the button.'),
    unset: 'the host of `OIDC_ISSUER`',
  },
};

declare module '../../base/config/setting.js' {
  interface SettingsOfFeatures extends ValuesOf<typeof settings> {}
}

export const signInSettings: Declared = {
  settings,
  problems({ oidcIssuer, oidcClientId, signUp }, isNamed) {
    if (oidcIssuer === undefined) {
      const isNeeded = signUp === 'oidc' && !isNamed(settings.oidcIssuer.name);
      return isNeeded ? ['SIGN_UP is oidc, but OIDC_ISSUER is not set: nobody could make an account.'] : [];
    }
    const { protocol, hostname } = new URL(oidcIssuer);
    const isOpen = protocol === 'http:' && !isLoopback(hostname);
    return [
      ...(oidcClientId === undefined ? ['OIDC_ISSUER is set, but OIDC_CLIENT_ID is not.'] : []),
      ...(isOpen ? ['OIDC_ISSUER is on http: use https, which alone says who the provider is.'] : []),
    ];
  },
  warnings: ({ oidcIssuer, oidcClientId, oidcClientSecret }) =>
    oidcIssuer === undefined && (oidcClientId ?? oidcClientSecret) !== undefined
      ? ['OIDC_CLIENT_ID or its secret is set, but OIDC_ISSUER is not: nobody can log in at a provider.']
      : [],
};
