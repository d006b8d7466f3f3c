import type { MailTexts } from './en.js';

export const fr: MailTexts = {
  hello: 'Bonjour,',
  reset: {
    subject: 'Choisissez un nouveau mot de passe',
    news: 'Quelqu’un, sans doute vous, a demandé un nouveau mot de passe pour votre compte Steady. Choisissez-le ici :',
    button: 'Choisir un nouveau mot de passe',
    advice:
      'Le lien fonctionne une seule fois, pendant une heure. Si vous n’avez rien demandé, ignorez ce message : votre mot de passe ne change pas.',
  },
  firstPassword: {
    subject: 'Choisissez un mot de passe',
    news: 'Votre compte Steady n’a pas de mot de passe pour l’instant. Vous pouvez en choisir un ici :',
    button: 'Choisir un mot de passe',
    advice:
      'Le lien fonctionne une seule fois, pendant une heure. Ensuite, ouvrez la page et choisissez « Mot de passe oublié ? » pour en recevoir un autre. Si vous ne l’avez pas demandé, ignorez ce message.',
  },
  confirm: {
    subject: 'Confirmez votre adresse e-mail',
    news: 'Cette adresse a été indiquée pour un compte Steady. Confirmez qu’elle vous appartient :',
    button: 'Confirmer cette adresse',
    advice: 'Le lien fonctionne pendant un jour. Si vous ne connaissez pas ce compte, ignorez ce message.',
  },
  emailChanged: {
    subject: 'Votre adresse e-mail a été modifiée',
    news: 'Votre compte Steady a maintenant une autre adresse e-mail. Si c’est vous qui l’avez modifiée, vous n’avez rien à faire. Sinon, annulez la modification ici :',
    button: 'Ce n’était pas moi : annuler',
    advice:
      'Le lien fonctionne pendant 72 heures. Il rétablit cette adresse, déconnecte tous les appareils et vous permet de choisir un nouveau mot de passe.',
  },
  passwordChanged: {
    subject: 'Votre mot de passe a été modifié',
    news: 'Le mot de passe de votre compte Steady a été modifié.',
    advice:
      'Si ce n’était pas vous, ouvrez tout de suite la page et choisissez « Mot de passe oublié ? » : un nouveau mot de passe déconnecte tous les appareils.',
  },
  webhookSet: {
    subject: 'Un webhook a été créé ou modifié',
    news: 'Un webhook a été créé pour votre compte Steady, ou mène à une autre adresse qu’avant : ce qui change dans le compte y est désormais envoyé.',
    advice:
      'Si ce n’était pas vous, ouvrez la page, retirez-le dans « Compte », sous « Webhooks », et changez votre mot de passe.',
  },
  webhookPaused: {
    subject: 'Un webhook a été suspendu',
    news: 'Un webhook de votre compte Steady a été suspendu, car son destinataire n’accepte plus rien depuis longtemps ou ne veut plus rien.',
    advice: 'Vérifiez son destinataire, puis reprenez-le ou retirez-le dans « Compte », sous « Webhooks ».',
  },
  sender: 'Envoyé par Steady, à l’adresse',
};
