/** What few visits say: of reminders, first habits, links from a mail, and what others get in by. It is loaded with them. */
export const en = {
  saved: 'The reminders are saved.',
  nowhere: 'Choose where they go: nothing rings before that.',
  ofDay: 'Remind me of what is left to do, at',
  ofDayHint: 'Empty: no reminder. It is silent if nothing is left.',
  ofHabits: 'Each habit has its own times: choose them in its menu, under Remind me.',
  where: 'Where reminders go',
  here: 'Remind me on this device',
  isHere: 'this device',
  allow: 'Allow notifications',
  name: 'Name',
  obstacles: {
    service: 'This service cannot send notifications to devices yet. Whoever runs it can set that up.',
    insecure: 'Notifications need an address that begins with https.',
    homeScreen:
      'Add Steady to the Home Screen first: Share, then Add to Home Screen. Then open it from there.',
    unsupported: 'This browser shows no notifications, or not in a private window.',
    old: 'This iPhone or iPad needs iOS 16.4 or later for notifications.',
    notAllowed:
      'Notifications are not allowed yet. Try again, and allow them when the browser asks: it may hide the question behind a sign in the address bar.',
    noService:
      'The browser cannot reach its push service. Brave has to be told in its settings, under privacy, to use the push service of Google.',
    denied:
      'Notifications are blocked for this page. Allow them beside the address or in the settings of the browser, then open this again.',
  },
  kinds: { PUSH: 'notifications', NTFY: 'ntfy', APPRISE: 'Apprise' },
  states: { WORKING: 'works', FAILING: 'the last one did not arrive', ENDED: 'ended' },
  untried: 'not tried yet',
  lastSent: (day: string) => `last sent ${day}`,
  test: 'Test',
  testOf: (name: string) => `Test ${name}`,
  tested: (name: string) => `Sent to ${name}. Did it arrive?`,
  testFailed: (error: string) => `It was not taken: ${error}`,
  remove: 'Remove',
  removeOf: (name: string) => `Remove ${name}`,
  removeSure: (name: string) => `Remove “${name}”? Nothing is sent there any more.`,
  add: 'Add',
  added: (name: string) => `${name} is added. Test it to see whether reminders arrive.`,
  byNtfy: 'Remind me by ntfy',
  ntfyHow:
    'Subscribe to this topic in the ntfy app, on the ntfy server of this service, then add it here. Whoever knows the topic can read along.',
  topicCode: 'The topic as a QR code, to be read by the phone',
  topic: 'Topic',
  token: 'Access token',
  byApprise: 'Remind me by Apprise',
  urls: 'Apprise URLs',
  urlsHint: 'They are kept secret: nobody can read them here again.',
  silent: 'It is silent on days on which the habit is done or not due.',
  time: 'Time',
  addTime: 'Another time',
  removeTime: 'Remove this time',
  first: (title: string, time: string) => `Remind me of “${title}” at ${time}?`,

  revoke: 'Revoke',
  revokeOf: (name: string) => `Revoke ${name}`,
  revokeSure: (name: string) => `Revoke “${name}”? It stops working at once.`,
  lastUsed: (day: string) => `last used ${day}`,
  shownOnce: 'Shown this once:',

  tokens: {
    about: 'For scripts and buttons.',
    scopes: {
      READ: 'Read everything',
      TASKS: 'Change habits',
      COMPLETIONS: 'Record what is done',
      CHALLENGES: 'Change challenges',
      PROFILE: 'Change the profile',
    },
    until: (day: string) => `until ${day}`,
    withoutEnd: 'without end',
    create: 'New API token',
    what: 'What is it for?',
    endsOn: 'It ends on',
    never: 'Empty: never.',
    may: 'What may it do?',
  },

  checkIn: {
    about:
      'An address that completes this habit when it is opened, for a sticker, a shortcut or a button. It can do nothing else.',
    name: 'Where is it used?',
    example: 'Sticker on the fridge',
    create: 'Make a link',
    qrCode: 'The address as a QR code',
  },

  calendars: {
    about:
      'An address at which another calendar reads your habits: what is due, kept and paused. Whoever has it can read along.',
    which: 'Which habits?',
    all: 'All of them',
    links: 'With a link in each habit of today that completes it',
    create: 'Make an address',
  },

  webhooks: {
    about:
      'An address of a program that is told of each change in your account, such as what was done, skipped or paused. The secret, shown once, proves that it comes from here.',
    url: 'Address',
    paused: 'paused',
    resume: 'Resume',
    resumeOf: (name: string) => `Resume ${name}`,
    reasons: {
      WEBHOOKS_OFF: 'Whoever runs this service allows no webhooks.',
      ADDRESS_REFUSED: 'This service sends nothing to this address.',
      FEED_TRUNCATED: 'What it has missed is no longer kept. Remove it, and add it again.',
    } as Record<string, string>,
  },

  starters: {
    themes: { body: 'Body', mind: 'Mind', home: 'Home', less: 'Less' },
    titles: {
      water: 'Drink water',
      walk: 'Walk 20 minutes',
      stretch: 'Stretch 5 minutes',
      read: 'Read 10 pages',
      meditate: 'Meditate 10 minutes',
      write: 'Write three lines',
      plants: 'Water the plants',
      tidy: 'Tidy up 10 minutes',
      call: 'Call a friend',
      coffee: 'Coffee',
      sweets: 'Sweets',
      phone: 'No phone in bed',
    },
    units: { glasses: 'glasses', cups: 'cups', pieces: 'pieces' },
  },

  /** Links from a mail, and the way back from a provider of log-ins. */
  links: {
    newTitle: 'Choose a new password',
    newAbout: 'It logs out all devices and ends all API tokens.',
    isSet: 'Your new password is set. Log in with it.',
    confirmation: {
      title: 'Confirm your e-mail address',
      about: 'It lets you back in if you forget your password.',
      submit: 'Confirm',
    },
    undoing: {
      title: 'Undo the change of your e-mail address?',
      about:
        'Your account gets its former address back. Everything is logged out, and you choose a new password.',
      submit: 'Undo the change',
    },
    undone: (email: string) =>
      `Your e-mail address is ${email} again. A link to choose a new password is on its way.`,
    notNow: 'Not now',
    isConnected: 'The two are connected.',
    /** Why a log-in at a provider came to nothing. */
    refused: {
      EMAIL_TAKEN:
        'There is an account with this e-mail address. Log in with your password once, and connect the two under Account.',
      INVALID_INPUT: 'The other log-in gives no valid e-mail address.',
      OTHER_ACCOUNT: 'That log-in belongs to another account here already.',
      LOG_IN_EXPIRED: 'The log-in took too long. Please try again.',
      LOG_IN_DENIED: 'The log-in was cancelled.',
      LOG_IN_FAILED: 'The log-in did not work. Please try again, or use your password.',
      PROVIDER_AWAY: 'The other log-in does not answer. Your password works as before.',
    } as Record<string, string>,
  },
};

export type LaterTexts = typeof en;
