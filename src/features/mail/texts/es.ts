import type { MailTexts } from './en.js';

export const es: MailTexts = {
  hello: 'Hola:',
  reset: {
    subject: 'Elige una contraseña nueva',
    news: 'Alguien, probablemente tú, ha pedido una contraseña nueva para tu cuenta de Steady. Elígela aquí:',
    button: 'Elegir una contraseña nueva',
    advice:
      'El enlace sirve una sola vez y durante una hora. Si no lo has pedido tú, ignora este correo: tu contraseña sigue siendo la misma.',
  },
  firstPassword: {
    subject: 'Elige una contraseña',
    news: 'Ahora tu cuenta de Steady no tiene contraseña. Puedes elegir una aquí:',
    button: 'Elegir una contraseña',
    advice:
      'El enlace sirve una sola vez y durante una hora. Después, abre la página y elige «¿Has olvidado tu contraseña?» para recibir otro. Si no lo has pedido, ignora este correo.',
  },
  confirm: {
    subject: 'Confirma tu correo electrónico',
    news: 'Alguien ha indicado esta dirección para una cuenta de Steady. Confirma que es tuya:',
    button: 'Confirmar esta dirección',
    advice: 'El enlace sirve durante un día. Si no sabes nada de esta cuenta, ignora este correo.',
  },
  emailChanged: {
    subject: 'Se ha cambiado tu correo electrónico',
    news: 'Tu cuenta de Steady tiene ahora otra dirección de correo. Si la has cambiado tú, no tienes que hacer nada. Si no has sido tú, deshaz el cambio aquí:',
    button: 'No he sido yo: deshacer el cambio',
    advice:
      'El enlace sirve durante 72 horas. Recupera esta dirección, cierra la sesión en todos los dispositivos y te permite elegir una contraseña nueva.',
  },
  passwordChanged: {
    subject: 'Se ha cambiado tu contraseña',
    news: 'Se ha cambiado la contraseña de tu cuenta de Steady.',
    advice:
      'Si no has sido tú, abre la página ahora mismo y elige «¿Has olvidado tu contraseña?»: una contraseña nueva cierra la sesión en todos los dispositivos.',
  },
  webhookSet: {
    subject: 'Se ha creado o cambiado un webhook',
    news: 'En tu cuenta de Steady se ha creado un webhook, o uno lleva a otra dirección que antes: a partir de ahora, lo que cambie en la cuenta se envía allí.',
    advice: 'Si no has sido tú, abre la página, quítalo en «Cuenta», en «Webhooks», y cambia la contraseña.',
  },
  webhookPaused: {
    subject: 'Se ha pausado un webhook',
    news: 'Se ha pausado un webhook de tu cuenta de Steady porque su receptor lleva mucho tiempo sin aceptar nada o ya no quiere nada.',
    advice: 'Revisa su receptor y reanúdalo o quítalo en «Cuenta», en «Webhooks».',
  },
  sender: 'Enviado por Steady desde',
};
