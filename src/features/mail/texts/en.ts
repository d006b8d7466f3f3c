/** What one mail says. `button` is the word on its link; a mail without a link has none. */
export interface MailText {
  subject: string;
  /** What happened. */
  news: string;
  button?: string;
  /** How long the link is good, and what to do if it was not you. */
  advice: string;
}

export interface MailTexts {
  hello: string;
  reset: MailText;
  /** To an account that has no password, or none any more. */
  firstPassword: MailText;
  confirm: MailText;
  emailChanged: MailText;
  passwordChanged: MailText;
  webhookSet: MailText;
  webhookPaused: MailText;
  /** The last line; the address of the service follows. */
  sender: string;
}

export const en: MailTexts = {
  hello: 'Hello,',
  reset: {
    subject: 'Choose a new password',
    news: 'Someone, probably you, asked for a new password for your Steady account. Choose it here:',
    button: 'Choose a new password',
    advice:
      'The link works once, and for one hour. If you did not ask for it, ignore this mail: your password stays as it is.',
  },
  firstPassword: {
    subject: 'Choose a password',
    news: 'Your Steady account has no password now. You can choose one here:',
    button: 'Choose a password',
    advice:
      'The link works once, and for one hour. After that, open the page and choose “Forgot your password?” for another one. If you did not ask for it, ignore this mail.',
  },
  confirm: {
    subject: 'Confirm your e-mail address',
    news: 'This address was given for a Steady account. Please confirm that it is yours:',
    button: 'Confirm this address',
    advice: 'The link works for one day. If you do not know about this account, ignore this mail.',
  },
  emailChanged: {
    subject: 'Your e-mail address was changed',
    news: 'Your Steady account now has another e-mail address. If you changed it yourself, there is nothing to do. If it was not you, take the change back here:',
    button: 'It was not me: take it back',
    advice:
      'The link works for 72 hours. It brings this address back, logs out every device, and lets you choose a new password.',
  },
  passwordChanged: {
    subject: 'Your password was changed',
    news: 'The password of your Steady account was changed.',
    advice:
      'If it was not you, open the page and choose “Forgot your password?” at once: a new password logs out every device.',
  },
  webhookSet: {
    subject: 'A webhook was created or changed',
    news: 'A webhook of your Steady account was created, or leads to another address than before: what you change in the account is sent there from now on.',
    advice:
      'If it was not you, open the page, remove it in “Account” under “Webhooks”, and change your password.',
  },
  webhookPaused: {
    subject: 'A webhook was paused',
    news: 'A webhook of your Steady account was paused, since its receiver has not taken what is sent for a long time, or wants no more.',
    advice: 'Look at its receiver, and resume or remove it in “Account” under “Webhooks”.',
  },
  sender: 'Sent by Steady at',
};
