import type { MailTexts } from './en.js';

export const ptBr: MailTexts = {
  hello: 'Olá,',
  reset: {
    subject: 'Escolha uma nova senha',
    news: 'Alguém, provavelmente você, pediu uma nova senha para a sua conta do Steady. Escolha a senha aqui:',
    button: 'Escolher uma nova senha',
    advice:
      'O link funciona uma única vez, por uma hora. Se não foi você quem pediu, ignore este e-mail: sua senha continua a mesma.',
  },
  firstPassword: {
    subject: 'Escolha uma senha',
    news: 'Sua conta do Steady está sem senha. Você pode escolher uma aqui:',
    button: 'Escolher uma senha',
    advice:
      'O link funciona uma única vez, por uma hora. Depois disso, abra a página e escolha “Esqueceu a senha?” para receber outro. Se você não pediu, ignore este e-mail.',
  },
  confirm: {
    subject: 'Confirme seu endereço de e-mail',
    news: 'Este endereço foi informado em uma conta do Steady. Confirme que ele é seu:',
    button: 'Confirmar este endereço',
    advice: 'O link funciona por um dia. Se você não conhece essa conta, ignore este e-mail.',
  },
  emailChanged: {
    subject: 'Seu endereço de e-mail foi alterado',
    news: 'Sua conta do Steady agora tem outro endereço de e-mail. Se foi você quem alterou, não precisa fazer nada. Se não foi, desfaça a alteração aqui:',
    button: 'Não fui eu: desfazer',
    advice:
      'O link funciona por 72 horas. Ele recupera este endereço, encerra a sessão em todos os dispositivos e permite escolher uma nova senha.',
  },
  passwordChanged: {
    subject: 'Sua senha foi alterada',
    news: 'A senha da sua conta do Steady foi alterada.',
    advice:
      'Se não foi você, abra a página agora mesmo e escolha “Esqueceu a senha?”: uma nova senha encerra a sessão em todos os dispositivos.',
  },
  webhookSet: {
    subject: 'Um webhook foi criado ou alterado',
    news: 'Um webhook foi criado para a sua conta do Steady, ou leva a outro endereço que antes: o que mudar na conta será enviado para lá a partir de agora.',
    advice: 'Se não foi você, abra a página, remova-o em “Conta”, em “Webhooks”, e mude a sua senha.',
  },
  webhookPaused: {
    subject: 'Um webhook foi pausado',
    news: 'Um webhook da sua conta do Steady foi pausado, porque o destinatário não aceita nada há muito tempo ou não quer mais nada.',
    advice: 'Verifique o destinatário e retome ou remova o webhook em “Conta”, em “Webhooks”.',
  },
  sender: 'Enviado pelo Steady em',
};
