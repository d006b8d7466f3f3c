import type { LaterTexts } from './later-en.js';

export const ptBr: LaterTexts = {
  saved: 'Os lembretes estão salvos.',
  nowhere: 'Escolha onde eles chegam: antes disso nada toca.',
  ofDay: 'Lembrar o que falta fazer às',
  ofDayHint: 'Vazio: sem lembrete. Se não faltar nada, ele não toca.',
  ofHabits: 'Cada hábito tem seus próprios horários: escolha no menu dele, em “Lembrar”.',
  where: 'Onde os lembretes chegam',
  here: 'Lembrar neste aparelho',
  isHere: 'este aparelho',
  allow: 'Permitir notificações',
  name: 'Nome',
  obstacles: {
    service: 'Este serviço ainda não envia notificações a aparelhos. Quem cuida dele pode ativar isso.',
    insecure: 'As notificações precisam de um endereço que comece com https.',
    homeScreen:
      'Primeiro adicione o Steady à Tela de Início: Compartilhar e “Adicionar à Tela de Início”. Depois abra por lá.',
    unsupported: 'Este navegador não mostra notificações, ou não em uma janela anônima.',
    old: 'Este iPhone ou iPad precisa do iOS 16.4 ou mais novo para notificações.',
    notAllowed:
      'As notificações ainda não estão permitidas. Tente de novo e permita quando o navegador perguntar: ele pode esconder a pergunta atrás de um ícone na barra de endereço.',
    noService:
      'O navegador não alcança o serviço de notificações push dele. No Brave, é preciso permitir o do Google nas configurações de privacidade.',
    denied:
      'As notificações estão bloqueadas para esta página. Permita ao lado do endereço ou nas configurações do navegador e abra isto de novo.',
  },
  kinds: { PUSH: 'notificações', NTFY: 'ntfy', APPRISE: 'Apprise' },
  states: { WORKING: 'funciona', FAILING: 'o último não chegou', ENDED: 'encerrado' },
  untried: 'ainda não testado',
  lastSent: (day) => `último envio ${day}`,
  test: 'Testar',
  testOf: (name) => `Testar ${name}`,
  tested: (name) => `Enviado para ${name}. Chegou?`,
  testFailed: (error) => `Não foi aceito: ${error}`,
  remove: 'Remover',
  removeOf: (name) => `Remover ${name}`,
  removeSure: (name) => `Remover “${name}”? Nada mais será enviado para lá.`,
  add: 'Adicionar',
  added: (name) => `${name} foi adicionado. Teste para ver se os lembretes chegam.`,
  byNtfy: 'Lembrar pelo ntfy',
  ntfyHow:
    'Assine este tópico no app do ntfy, no servidor ntfy deste serviço, e depois adicione aqui. Quem souber o tópico pode ler.',
  topicCode: 'O tópico como código QR para o celular',
  topic: 'Tópico',
  token: 'Token de acesso',
  byApprise: 'Lembrar pelo Apprise',
  urls: 'URLs do Apprise',
  urlsHint: 'Elas ficam em segredo: ninguém pode ler de novo aqui.',
  silent: 'Ele não toca nos dias em que o hábito já foi feito ou não é preciso.',
  time: 'Horário',
  addTime: 'Outro horário',
  removeTime: 'Remover este horário',
  first: (title, time) => `Lembrar “${title}” às ${time}?`,

  revoke: 'Revogar',
  revokeOf: (name) => `Revogar ${name}`,
  revokeSure: (name) => `Revogar “${name}”? Deixa de valer na hora.`,
  lastUsed: (day) => `usado pela última vez em ${day}`,
  shownOnce: 'Mostrado só desta vez:',

  tokens: {
    about: 'Para scripts e botões.',
    scopes: {
      READ: 'Ler tudo',
      TASKS: 'Alterar hábitos',
      COMPLETIONS: 'Registrar o que foi feito',
      CHALLENGES: 'Alterar desafios',
      PROFILE: 'Alterar o perfil',
    },
    until: (day) => `até ${day}`,
    withoutEnd: 'sem fim',
    create: 'Novo token de API',
    what: 'Para que serve?',
    endsOn: 'Expira em',
    never: 'Vazio: nunca.',
    may: 'O que ele pode fazer?',
  },

  checkIn: {
    about:
      'Um endereço que marca este hábito quando é aberto: para um adesivo, um atalho ou um botão. Não faz mais nada.',
    name: 'Onde ele é usado?',
    example: 'Adesivo na geladeira',
    create: 'Criar um link',
    qrCode: 'O endereço como código QR',
  },

  calendars: {
    about:
      'Um endereço em que outro calendário lê seus hábitos: o que está previsto, cumprido e em pausa. Quem o tiver pode ler.',
    which: 'Quais hábitos?',
    all: 'Todos',
    links: 'Com um link em cada hábito de hoje que o marca',
    create: 'Criar um endereço',
  },

  webhooks: {
    about:
      'O endereço de um programa que fica sabendo de cada mudança na sua conta: o que foi feito, pulado ou pausado. O segredo, mostrado uma vez, prova que vem daqui.',
    url: 'Endereço',
    paused: 'em pausa',
    resume: 'Retomar',
    resumeOf: (name) => `Retomar ${name}`,
    reasons: {
      WEBHOOKS_OFF: 'Quem administra este serviço não permite webhooks.',
      ADDRESS_REFUSED: 'Este serviço não envia nada a este endereço.',
      FEED_TRUNCATED: 'O que ele perdeu não está mais guardado. Remova e adicione de novo.',
    },
  },

  starters: {
    themes: { body: 'Corpo', mind: 'Mente', home: 'Casa', less: 'Menos' },
    titles: {
      water: 'Beber água',
      walk: 'Caminhar 20 minutos',
      stretch: 'Alongar 5 minutos',
      read: 'Ler 10 páginas',
      meditate: 'Meditar 10 minutos',
      write: 'Escrever três linhas',
      plants: 'Regar as plantas',
      tidy: 'Arrumar 10 minutos',
      call: 'Ligar para alguém',
      coffee: 'Café',
      sweets: 'Doces',
      phone: 'Sem celular na cama',
    },
    units: { glasses: 'copos', cups: 'xícaras', pieces: 'unidades' },
  },

  links: {
    newTitle: 'Escolha uma nova senha',
    newAbout: 'Todos os aparelhos saem da conta e todos os tokens de API deixam de valer.',
    isSet: 'Sua nova senha está valendo. Entre com ela.',
    confirmation: {
      title: 'Confirme seu e-mail',
      about: 'Assim você consegue voltar por e-mail se esquecer a senha.',
      submit: 'Confirmar',
    },
    undoing: {
      title: 'Desfazer a troca de e-mail?',
      about:
        'Sua conta volta ao endereço anterior. Todos os aparelhos saem da conta, os tokens de API deixam de valer e você escolhe uma nova senha.',
      submit: 'Desfazer a troca',
    },
    undone: (email) =>
      `Seu e-mail é de novo ${email}. Um e-mail com um link para escolher uma nova senha está a caminho.`,
    notNow: 'Agora não',
    isConnected: 'As duas contas estão conectadas.',
    refused: {
      EMAIL_TAKEN:
        'Já existe uma conta com este e-mail. Entre uma vez com a sua senha e conecte as duas em “Conta”.',
      INVALID_INPUT: 'O outro serviço não informa um e-mail válido, e toda conta aqui precisa de um.',
      OTHER_ACCOUNT: 'Esse login já pertence a outra conta aqui.',
      LOG_IN_EXPIRED: 'O login demorou demais. Tente de novo.',
      LOG_IN_DENIED: 'O login foi cancelado.',
      LOG_IN_FAILED: 'O login não deu certo. Tente de novo ou use a sua senha.',
      PROVIDER_AWAY: 'O outro serviço não responde. A sua senha funciona como antes.',
    },
  },
};
