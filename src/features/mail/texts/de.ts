import type { MailTexts } from './en.js';

export const de: MailTexts = {
  hello: 'Hallo,',
  reset: {
    subject: 'Neues Passwort wählen',
    news: 'Jemand, wahrscheinlich du, hat für dein Steady-Konto ein neues Passwort angefordert. Hier kannst du es wählen:',
    button: 'Neues Passwort wählen',
    advice:
      'Der Link gilt eine Stunde lang und nur einmal. Wenn du nichts angefordert hast, ignoriere diese Mail: Dein Passwort bleibt, wie es ist.',
  },
  firstPassword: {
    subject: 'Passwort wählen',
    news: 'Dein Steady-Konto hat zurzeit kein Passwort. Hier kannst du eines wählen:',
    button: 'Passwort wählen',
    advice:
      'Der Link gilt eine Stunde lang und nur einmal. Danach bekommst du auf der Seite unter „Passwort vergessen?“ einen neuen. Wenn du nicht darum gebeten hast, ignoriere diese Mail.',
  },
  confirm: {
    subject: 'Bestätige deine E-Mail-Adresse',
    news: 'Diese Adresse wurde für ein Steady-Konto angegeben. Bitte bestätige, dass sie dir gehört:',
    button: 'Adresse bestätigen',
    advice: 'Der Link gilt einen Tag lang. Wenn du von diesem Konto nichts weißt, ignoriere diese Mail.',
  },
  emailChanged: {
    subject: 'Deine E-Mail-Adresse wurde geändert',
    news: 'Dein Steady-Konto hat jetzt eine andere E-Mail-Adresse. Wenn du sie selbst geändert hast, musst du nichts tun. Wenn nicht, mach die Änderung hier rückgängig:',
    button: 'Das war ich nicht: rückgängig machen',
    advice:
      'Der Link gilt 72 Stunden lang. Er stellt diese Adresse wieder her, meldet alle Geräte ab und lässt dich ein neues Passwort wählen.',
  },
  passwordChanged: {
    subject: 'Dein Passwort wurde geändert',
    news: 'Das Passwort deines Steady-Kontos wurde geändert.',
    advice:
      'Wenn du das nicht warst, öffne sofort die Seite und wähle „Passwort vergessen?“: Ein neues Passwort meldet alle Geräte ab.',
  },
  webhookSet: {
    subject: 'Ein Webhook wurde angelegt oder geändert',
    news: 'Für dein Steady-Konto wurde ein Webhook angelegt, oder einer führt an eine andere Adresse als bisher: Was sich im Konto ändert, wird ab jetzt dorthin gesendet.',
    advice:
      'Wenn du das nicht warst, öffne die Seite, entferne ihn in „Konto“ unter „Webhooks“ und ändere dein Passwort.',
  },
  webhookPaused: {
    subject: 'Ein Webhook wurde angehalten',
    news: 'Ein Webhook deines Steady-Kontos wurde angehalten, weil sein Empfänger lange nichts angenommen hat oder nichts mehr will.',
    advice: 'Sieh nach seinem Empfänger, und setze ihn in „Konto“ unter „Webhooks“ fort oder entferne ihn.',
  },
  sender: 'Gesendet von Steady unter',
};
