import type { LaterTexts } from './later-en.js';

export const de: LaterTexts = {
  saved: 'Die Erinnerungen sind gespeichert.',
  nowhere: 'Wähle, wohin sie gehen: Vorher meldet sich nichts.',
  ofDay: 'An das erinnern, was noch offen ist, um',
  ofDayHint: 'Leer: keine Erinnerung. Ist nichts mehr offen, bleibt es still.',
  ofHabits: 'Jede Gewohnheit hat eigene Zeiten: Wähle sie in ihrem Menü unter „Erinnern“.',
  where: 'Wohin Erinnerungen gehen',
  here: 'Auf diesem Gerät erinnern',
  isHere: 'dieses Gerät',
  allow: 'Benachrichtigungen erlauben',
  name: 'Name',
  obstacles: {
    service:
      'Dieser Dienst kann noch keine Benachrichtigungen an Geräte senden. Wer ihn betreibt, kann das einrichten.',
    insecure: 'Benachrichtigungen brauchen eine Adresse, die mit https beginnt.',
    homeScreen:
      'Lege Steady zuerst auf den Home-Bildschirm: Teilen, dann „Zum Home-Bildschirm“. Öffne es dann von dort.',
    unsupported: 'Dieser Browser zeigt keine Benachrichtigungen, oder nicht in einem privaten Fenster.',
    old: 'Dieses iPhone oder iPad braucht iOS 16.4 oder neuer für Benachrichtigungen.',
    notAllowed:
      'Benachrichtigungen sind noch nicht erlaubt. Versuche es noch einmal und erlaube sie, wenn der Browser fragt: Vielleicht verbirgt er die Frage hinter einem Zeichen in der Adresszeile.',
    noService:
      'Der Browser erreicht seinen Push-Dienst nicht. In Brave muss in den Einstellungen unter Datenschutz der Push-Dienst von Google erlaubt sein.',
    denied:
      'Benachrichtigungen sind für diese Seite gesperrt. Erlaube sie neben der Adresse oder in den Einstellungen des Browsers und öffne dies dann noch einmal.',
  },
  kinds: { PUSH: 'Benachrichtigungen', NTFY: 'ntfy', APPRISE: 'Apprise' },
  states: { WORKING: 'läuft', FAILING: 'die letzte kam nicht an', ENDED: 'beendet' },
  untried: 'noch nicht getestet',
  lastSent: (day) => `zuletzt gesendet ${day}`,
  test: 'Testen',
  testOf: (name) => `${name} testen`,
  tested: (name) => `An ${name} gesendet. Ist es angekommen?`,
  testFailed: (error) => `Es wurde nicht angenommen: ${error}`,
  remove: 'Entfernen',
  removeOf: (name) => `${name} entfernen`,
  removeSure: (name) => `„${name}“ entfernen? Dorthin geht dann nichts mehr.`,
  add: 'Hinzufügen',
  added: (name) => `${name} ist hinzugefügt. Ein Test zeigt, ob Erinnerungen ankommen.`,
  byNtfy: 'Mit ntfy erinnern',
  ntfyHow:
    'Abonniere dieses Thema in der ntfy-App auf dem ntfy-Server dieses Dienstes und füge es dann hier hinzu. Wer das Thema kennt, kann mitlesen.',
  topicCode: 'Das Thema als QR-Code für das Telefon',
  topic: 'Thema',
  token: 'Zugangstoken',
  byApprise: 'Mit Apprise erinnern',
  urls: 'Apprise-URLs',
  urlsHint: 'Sie bleiben geheim: Niemand kann sie hier wieder lesen.',
  silent: 'An Tagen, an denen die Gewohnheit erledigt oder nicht fällig ist, bleibt es still.',
  time: 'Uhrzeit',
  addTime: 'Weitere Uhrzeit',
  removeTime: 'Diese Uhrzeit entfernen',
  first: (title, time) => `Um ${time} an „${title}“ erinnern?`,

  revoke: 'Widerrufen',
  revokeOf: (name) => `${name} widerrufen`,
  revokeSure: (name) => `„${name}“ widerrufen? Es gilt dann sofort nicht mehr.`,
  lastUsed: (day) => `zuletzt benutzt ${day}`,
  shownOnce: 'Nur dieses eine Mal zu sehen:',

  tokens: {
    about: 'Für Skripte und Knöpfe.',
    scopes: {
      READ: 'Alles lesen',
      TASKS: 'Gewohnheiten ändern',
      COMPLETIONS: 'Erledigtes eintragen',
      CHALLENGES: 'Herausforderungen ändern',
      PROFILE: 'Profil ändern',
    },
    until: (day) => `bis ${day}`,
    withoutEnd: 'unbegrenzt',
    create: 'Neues API-Token',
    what: 'Wofür ist es?',
    endsOn: 'Gültig bis',
    never: 'Leer: unbegrenzt.',
    may: 'Was darf es?',
  },

  checkIn: {
    about:
      'Eine Adresse, die diese Gewohnheit abhakt, wenn man sie öffnet: für einen Aufkleber, einen Kurzbefehl oder einen Knopf. Sonst kann sie nichts.',
    name: 'Wo wird er benutzt?',
    example: 'Aufkleber am Kühlschrank',
    create: 'Link erstellen',
    qrCode: 'Die Adresse als QR-Code',
  },

  calendars: {
    about:
      'Eine Adresse, unter der ein anderer Kalender deine Gewohnheiten liest: was fällig, eingehalten und pausiert ist. Wer sie hat, kann mitlesen.',
    which: 'Welche Gewohnheiten?',
    all: 'Alle',
    links: 'Mit einem Link in jeder Gewohnheit von heute, der sie abhakt',
    create: 'Adresse erstellen',
  },

  webhooks: {
    about:
      'Die Adresse eines Programms, das von jeder Änderung in deinem Konto erfährt: was erledigt, ausgelassen oder pausiert ist. Das Geheimnis, nur einmal zu sehen, beweist, dass es von hier kommt.',
    url: 'Adresse',
    paused: 'pausiert',
    resume: 'Fortsetzen',
    resumeOf: (name) => `${name} fortsetzen`,
    reasons: {
      WEBHOOKS_OFF: 'Wer diesen Dienst betreibt, erlaubt keine Webhooks.',
      ADDRESS_REFUSED: 'An diese Adresse sendet dieser Dienst nichts.',
      FEED_TRUNCATED: 'Was ihm entgangen ist, ist nicht mehr da. Entferne ihn, und füge ihn neu hinzu.',
    },
  },

  starters: {
    themes: { body: 'Körper', mind: 'Kopf', home: 'Zuhause', less: 'Weniger' },
    titles: {
      water: 'Wasser trinken',
      walk: '20 Minuten spazieren',
      stretch: '5 Minuten dehnen',
      read: '10 Seiten lesen',
      meditate: '10 Minuten meditieren',
      write: 'Drei Zeilen schreiben',
      plants: 'Pflanzen gießen',
      tidy: '10 Minuten aufräumen',
      call: 'Jemanden anrufen',
      coffee: 'Kaffee',
      sweets: 'Süßes',
      phone: 'Kein Handy im Bett',
    },
    units: { glasses: 'Gläser', cups: 'Tassen', pieces: 'Stück' },
  },

  links: {
    newTitle: 'Neues Passwort wählen',
    newAbout: 'Alle Geräte werden abgemeldet, und alle API-Tokens enden.',
    isSet: 'Dein neues Passwort gilt. Melde dich damit an.',
    confirmation: {
      title: 'E-Mail-Adresse bestätigen',
      about: 'So kommst du per Mail wieder hinein, falls du dein Passwort vergisst.',
      submit: 'Bestätigen',
    },
    undoing: {
      title: 'Änderung der E-Mail-Adresse rückgängig machen?',
      about:
        'Dein Konto bekommt seine frühere Adresse zurück. Alle Geräte werden abgemeldet, alle API-Tokens enden, und du wählst ein neues Passwort.',
      submit: 'Rückgängig machen',
    },
    undone: (email) =>
      `Deine E-Mail-Adresse ist wieder ${email}. Eine Mail mit einem Link für ein neues Passwort ist unterwegs.`,
    notNow: 'Nicht jetzt',
    isConnected: 'Die beiden sind verbunden.',
    refused: {
      EMAIL_TAKEN:
        'Es gibt ein Konto mit dieser E-Mail-Adresse. Melde dich einmal mit deinem Passwort an und verbinde die beiden unter „Konto“.',
      INVALID_INPUT:
        'Die andere Anmeldung kommt ohne gültige E-Mail-Adresse, und ein Konto braucht hier eine.',
      OTHER_ACCOUNT: 'Diese Anmeldung gehört hier schon zu einem anderen Konto.',
      LOG_IN_EXPIRED: 'Die Anmeldung hat zu lange gedauert. Bitte versuche es noch einmal.',
      LOG_IN_DENIED: 'Die Anmeldung wurde abgebrochen.',
      LOG_IN_FAILED: 'Die Anmeldung hat nicht geklappt. Versuche es noch einmal oder nimm dein Passwort.',
      PROVIDER_AWAY: 'Die andere Anmeldung antwortet nicht. Dein Passwort gilt wie zuvor.',
    },
  },
};
