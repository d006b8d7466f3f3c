import type { LaterTexts } from './later-en.js';

export const fr: LaterTexts = {
  saved: 'Les rappels sont enregistrés.',
  nowhere: 'Choisissez où ils arrivent : rien ne sonne avant.',
  ofDay: 'Me rappeler ce qui reste à faire à',
  ofDayHint: 'Vide : pas de rappel. S’il ne reste rien, il se tait.',
  ofHabits: 'Chaque habitude a ses propres heures : choisissez-les dans son menu, sous « Me le rappeler ».',
  where: 'Où arrivent les rappels',
  here: 'Me le rappeler sur cet appareil',
  isHere: 'cet appareil',
  allow: 'Autoriser les notifications',
  name: 'Nom',
  obstacles: {
    service:
      'Ce service ne peut pas encore envoyer de notifications aux appareils. La personne qui le gère peut les activer.',
    insecure: 'Les notifications demandent une adresse qui commence par https.',
    homeScreen:
      'Ajoutez d’abord Steady à l’écran d’accueil : Partager, puis « Sur l’écran d’accueil ». Ouvrez-le ensuite de là.',
    unsupported: 'Ce navigateur n’affiche pas de notifications, ou pas dans une fenêtre privée.',
    old: 'Cet iPhone ou iPad a besoin d’iOS 16.4 ou plus récent pour les notifications.',
    notAllowed:
      'Les notifications ne sont pas encore autorisées. Réessayez et autorisez-les quand le navigateur le demande : il cache peut-être la question derrière un signe dans la barre d’adresse.',
    noService:
      'Le navigateur n’atteint pas son service de notifications push. Dans Brave, il faut autoriser celui de Google dans les réglages de confidentialité.',
    denied:
      'Les notifications sont bloquées pour cette page. Autorisez-les à côté de l’adresse ou dans les réglages du navigateur, puis rouvrez ceci.',
  },
  kinds: { PUSH: 'notifications', NTFY: 'ntfy', APPRISE: 'Apprise' },
  states: { WORKING: 'fonctionne', FAILING: 'le dernier n’est pas arrivé', ENDED: 'terminé' },
  untried: 'pas encore testé',
  lastSent: (day) => `dernier envoi ${day}`,
  test: 'Tester',
  testOf: (name) => `Tester ${name}`,
  tested: (name) => `Envoyé à ${name}. Est-ce arrivé ?`,
  testFailed: (error) => `Il n’a pas été accepté : ${error}`,
  remove: 'Retirer',
  removeOf: (name) => `Retirer ${name}`,
  removeSure: (name) => `Retirer « ${name} » ? Plus rien n’y sera envoyé.`,
  add: 'Ajouter',
  added: (name) => `${name} est ajouté. Testez-le pour voir si les rappels arrivent.`,
  byNtfy: 'Me le rappeler par ntfy',
  ntfyHow:
    'Abonnez-vous à ce sujet dans l’application ntfy, sur le serveur ntfy de ce service, puis ajoutez-le ici. Qui connaît le sujet peut lire.',
  topicCode: 'Le sujet en code QR pour le téléphone',
  topic: 'Sujet',
  token: 'Jeton d’accès',
  byApprise: 'Me le rappeler par Apprise',
  urls: 'URL d’Apprise',
  urlsHint: 'Elles restent secrètes : personne ne peut les relire ici.',
  silent: 'Il se tait les jours où l’habitude est faite ou n’est pas prévue.',
  time: 'Heure',
  addTime: 'Une autre heure',
  removeTime: 'Retirer cette heure',
  first: (title, time) => `Vous rappeler « ${title} » à ${time} ?`,

  revoke: 'Révoquer',
  revokeOf: (name) => `Révoquer ${name}`,
  revokeSure: (name) => `Révoquer « ${name} » ? Cela cessera aussitôt de fonctionner.`,
  lastUsed: (day) => `dernière utilisation le ${day}`,
  shownOnce: 'Affiché cette seule fois :',

  tokens: {
    about: 'Pour des scripts et des boutons.',
    scopes: {
      READ: 'Tout lire',
      TASKS: 'Modifier les habitudes',
      COMPLETIONS: 'Noter ce qui est fait',
      CHALLENGES: 'Modifier les défis',
      PROFILE: 'Modifier le profil',
    },
    until: (day) => `jusqu’au ${day}`,
    withoutEnd: 'sans fin',
    create: 'Nouveau jeton d’API',
    what: 'À quoi sert-il ?',
    endsOn: 'Expire le',
    never: 'Vide : jamais.',
    may: 'Que peut-il faire ?',
  },

  checkIn: {
    about:
      'Une adresse qui coche cette habitude quand on l’ouvre : pour un autocollant, un raccourci ou un bouton. Elle ne peut rien faire d’autre.',
    name: 'Où sert-il ?',
    example: 'Autocollant sur le frigo',
    create: 'Créer un lien',
    qrCode: 'L’adresse en code QR',
  },

  calendars: {
    about:
      'Une adresse où un autre calendrier lit vos habitudes : ce qui est prévu, tenu ou en pause. Qui la possède peut lire.',
    which: 'Quelles habitudes ?',
    all: 'Toutes',
    links: 'Avec un lien dans chaque habitude du jour, qui la coche',
    create: 'Créer une adresse',
  },

  webhooks: {
    about:
      'L’adresse d’un programme qui apprend chaque changement de votre compte, comme ce qui est fait, sauté ou en pause. Le secret, montré une seule fois, prouve que cela vient d’ici.',
    url: 'Adresse',
    paused: 'en pause',
    resume: 'Reprendre',
    resumeOf: (name) => `Reprendre ${name}`,
    reasons: {
      WEBHOOKS_OFF: 'La personne qui gère ce service n’autorise pas les webhooks.',
      ADDRESS_REFUSED: 'Ce service n’envoie rien à cette adresse.',
      FEED_TRUNCATED: 'Ce qu’il a manqué n’est plus conservé. Retirez-le, puis ajoutez-le de nouveau.',
    },
  },

  starters: {
    themes: { body: 'Corps', mind: 'Esprit', home: 'Maison', less: 'Moins' },
    titles: {
      water: 'Boire de l’eau',
      walk: 'Marcher 20 minutes',
      stretch: 'S’étirer 5 minutes',
      read: 'Lire 10 pages',
      meditate: 'Méditer 10 minutes',
      write: 'Écrire trois lignes',
      plants: 'Arroser les plantes',
      tidy: 'Ranger 10 minutes',
      call: 'Appeler quelqu’un',
      coffee: 'Café',
      sweets: 'Sucreries',
      phone: 'Pas de téléphone au lit',
    },
    units: { glasses: 'verres', cups: 'tasses', pieces: 'pièces' },
  },

  links: {
    newTitle: 'Choisissez un nouveau mot de passe',
    newAbout: 'Tous les appareils seront déconnectés et tous les jetons d’API supprimés.',
    isSet: 'Votre nouveau mot de passe est enregistré. Utilisez-le pour vous connecter.',
    confirmation: {
      title: 'Confirmez votre adresse e-mail',
      about: 'Vous pourrez ainsi revenir par e-mail si vous oubliez votre mot de passe.',
      submit: 'Confirmer',
    },
    undoing: {
      title: 'Annuler le changement d’adresse ?',
      about:
        'Votre compte retrouve son ancienne adresse. Tous les appareils sont déconnectés, les jetons d’API supprimés, et vous choisissez un nouveau mot de passe.',
      submit: 'Annuler le changement',
    },
    undone: (email) =>
      `Votre adresse est de nouveau ${email}. Un e-mail avec un lien pour choisir un mot de passe est en route.`,
    notNow: 'Pas maintenant',
    isConnected: 'Les deux comptes sont liés.',
    refused: {
      EMAIL_TAKEN:
        'Un compte existe avec cette adresse. Connectez-vous une fois avec votre mot de passe et liez les deux dans « Compte ».',
      INVALID_INPUT: 'L’autre service ne donne pas d’adresse e-mail valable, et un compte ici en a besoin.',
      OTHER_ACCOUNT: 'Cette connexion est déjà liée à un autre compte ici.',
      LOG_IN_EXPIRED: 'La connexion a pris trop de temps. Réessayez.',
      LOG_IN_DENIED: 'La connexion a été annulée.',
      LOG_IN_FAILED: 'La connexion n’a pas abouti. Réessayez ou utilisez votre mot de passe.',
      PROVIDER_AWAY: 'L’autre service ne répond pas. Votre mot de passe fonctionne toujours.',
    },
  },
};
