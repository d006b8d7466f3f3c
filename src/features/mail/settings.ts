import type { Setting, ValuesOf } from '../../base/config/setting.js';
import type { Declared } from '../../base/config/settings.js';
import { problemInSmtpUrl, type Sender, senderIn } from './smtp-url.js';

const settings = {
  smtpUrl: {
    name: 'SMTP_URL',
    about: 'The [mail server](sign-in.md#mail): `smtp://user:password@host:587`, or `smtps://…`.',
    unset: 'unset: no mail is sent',
    allowed: 'a URL that begins with smtp:// or smtps://',
    read: (value) => (problemInSmtpUrl(value) === undefined ? value : undefined),
    fallback: undefined,
    secret: true,
    problemIn: problemInSmtpUrl,
  } satisfies Setting<string | undefined>,
  mailFrom: {
    name: 'MAIL_FROM',
    about: 'The sender of mails, such as `Steady <habits@example.com>`.',
    unset: 'with `SMTP_URL`',
    allowed: 'an e-mail address, alone or as in Steady <habits@example.com>',
    read: senderIn,
    fallback: undefined,
  } satisfies Setting<Sender | undefined>,
};

declare module '../../base/config/setting.js' {
  interface SettingsOfFeatures extends ValuesOf<typeof settings> {}
}

export const mailSettings: Declared = {
  settings,
  problems({ smtpUrl, mailFrom, publicUrl }, isNamed) {
    if (smtpUrl === undefined) return [];
    return Object.entries({ MAIL_FROM: mailFrom, PUBLIC_URL: publicUrl })
      .filter(([name, value]) => value === undefined && !isNamed(name))
      .map(
        ([name]) =>
          `SMTP_URL is set, but ${name} is not: mails have a sender, and their links begin with an address.`,
      );
  },
  warnings: ({ smtpUrl, mailFrom }) =>
    mailFrom && smtpUrl === undefined
      ? [
          'MAIL_FROM is set, but SMTP_URL is not: no mail is sent. Only push services may be told the address.',
        ]
      : [],
};
