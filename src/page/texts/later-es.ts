import type { LaterTexts } from './later-en.js';

export const es: LaterTexts = {
  saved: 'Los recordatorios están guardados.',
  nowhere: 'Elige dónde llegan: antes no suena nada.',
  ofDay: 'Recordarme lo que queda por hacer a las',
  ofDayHint: 'Vacío: sin recordatorio. Si no queda nada, no suena.',
  ofHabits: 'Cada hábito tiene sus propias horas: elígelas en su menú, en «Recordarme».',
  where: 'Dónde llegan los recordatorios',
  here: 'Recordarme en este dispositivo',
  isHere: 'este dispositivo',
  allow: 'Permitir notificaciones',
  name: 'Nombre',
  obstacles: {
    service:
      'Este servicio aún no puede enviar notificaciones a dispositivos. Quien lo administra puede activarlas.',
    insecure: 'Las notificaciones necesitan una dirección que empiece por https.',
    homeScreen:
      'Primero añade Steady a la pantalla de inicio: Compartir y «Añadir a pantalla de inicio». Después ábrelo desde allí.',
    unsupported: 'Este navegador no muestra notificaciones, o no en una ventana privada.',
    old: 'Este iPhone o iPad necesita iOS 16.4 o posterior para las notificaciones.',
    notAllowed:
      'Las notificaciones aún no están permitidas. Inténtalo de nuevo y permítelas cuando el navegador pregunte: puede esconder la pregunta tras un icono en la barra de direcciones.',
    noService:
      'El navegador no llega a su servicio de notificaciones push. En Brave hay que permitir el de Google en los ajustes de privacidad.',
    denied:
      'Las notificaciones están bloqueadas para esta página. Permítelas junto a la dirección o en los ajustes del navegador y vuelve a abrir esto.',
  },
  kinds: { PUSH: 'notificaciones', NTFY: 'ntfy', APPRISE: 'Apprise' },
  states: { WORKING: 'funciona', FAILING: 'el último no llegó', ENDED: 'terminado' },
  untried: 'aún sin probar',
  lastSent: (day) => `último envío ${day}`,
  test: 'Probar',
  testOf: (name) => `Probar ${name}`,
  tested: (name) => `Enviado a ${name}. ¿Ha llegado?`,
  testFailed: (error) => `No se ha aceptado: ${error}`,
  remove: 'Quitar',
  removeOf: (name) => `Quitar ${name}`,
  removeSure: (name) => `¿Quitar «${name}»? Ya no se enviará nada allí.`,
  add: 'Añadir',
  added: (name) => `${name} está añadido. Pruébalo para ver si llegan los recordatorios.`,
  byNtfy: 'Recordarme por ntfy',
  ntfyHow:
    'Suscríbete a este tema en la app de ntfy, en el servidor de ntfy de este servicio, y luego añádelo aquí. Quien conozca el tema puede leerlo.',
  topicCode: 'El tema como código QR para el teléfono',
  topic: 'Tema',
  token: 'Token de acceso',
  byApprise: 'Recordarme por Apprise',
  urls: 'URL de Apprise',
  urlsHint: 'Se guardan en secreto: nadie puede volver a leerlas aquí.',
  silent: 'No suena los días en que el hábito está hecho o no toca.',
  time: 'Hora',
  addTime: 'Otra hora',
  removeTime: 'Quitar esta hora',
  first: (title, time) => `¿Te recuerdo «${title}» a las ${time}?`,

  revoke: 'Revocar',
  revokeOf: (name) => `Revocar ${name}`,
  revokeSure: (name) => `¿Revocar «${name}»? Dejará de funcionar al momento.`,
  lastUsed: (day) => `usado por última vez el ${day}`,
  shownOnce: 'Solo se muestra esta vez:',

  tokens: {
    about: 'Para scripts y botones.',
    scopes: {
      READ: 'Leer todo',
      TASKS: 'Cambiar hábitos',
      COMPLETIONS: 'Registrar lo hecho',
      CHALLENGES: 'Cambiar retos',
      PROFILE: 'Cambiar el perfil',
    },
    until: (day) => `hasta el ${day}`,
    withoutEnd: 'sin fin',
    create: 'Nuevo token de API',
    what: '¿Para qué es?',
    endsOn: 'Caduca el',
    never: 'Vacío: nunca.',
    may: '¿Qué puede hacer?',
  },

  checkIn: {
    about:
      'Una dirección que marca este hábito al abrirla: para una pegatina, un atajo o un botón. No puede hacer nada más.',
    name: '¿Dónde se usa?',
    example: 'Pegatina en la nevera',
    create: 'Crear un enlace',
    qrCode: 'La dirección como código QR',
  },

  calendars: {
    about:
      'Una dirección en la que otro calendario lee tus hábitos: lo que toca, lo cumplido y las pausas. Quien la tenga puede leerlo.',
    which: '¿Qué hábitos?',
    all: 'Todos',
    links: 'Con un enlace en cada hábito de hoy que lo marca',
    create: 'Crear una dirección',
  },

  webhooks: {
    about:
      'La dirección de un programa que se entera de cada cambio en tu cuenta: lo hecho, lo omitido o las pausas. El secreto, que se muestra una vez, demuestra que viene de aquí.',
    url: 'Dirección',
    paused: 'en pausa',
    resume: 'Reanudar',
    resumeOf: (name) => `Reanudar ${name}`,
    reasons: {
      WEBHOOKS_OFF: 'Quien administra este servicio no permite webhooks.',
      ADDRESS_REFUSED: 'Este servicio no envía nada a esta dirección.',
      FEED_TRUNCATED: 'Lo que se ha perdido ya no se guarda. Quítalo y añádelo de nuevo.',
    },
  },

  starters: {
    themes: { body: 'Cuerpo', mind: 'Mente', home: 'Casa', less: 'Menos' },
    titles: {
      water: 'Beber agua',
      walk: 'Caminar 20 minutos',
      stretch: 'Estirar 5 minutos',
      read: 'Leer 10 páginas',
      meditate: 'Meditar 10 minutos',
      write: 'Escribir tres líneas',
      plants: 'Regar las plantas',
      tidy: 'Ordenar 10 minutos',
      call: 'Llamar a alguien',
      coffee: 'Café',
      sweets: 'Dulces',
      phone: 'Sin móvil en la cama',
    },
    units: { glasses: 'vasos', cups: 'tazas', pieces: 'piezas' },
  },

  links: {
    newTitle: 'Elige una contraseña nueva',
    newAbout: 'Cierra la sesión en todos los dispositivos y revoca todos los tokens de API.',
    isSet: 'Tu contraseña nueva está guardada. Inicia sesión con ella.',
    confirmation: {
      title: 'Confirma tu correo electrónico',
      about: 'Así podrás volver a entrar por correo si olvidas tu contraseña.',
      submit: 'Confirmar',
    },
    undoing: {
      title: '¿Deshacer el cambio de correo electrónico?',
      about:
        'Tu cuenta recupera su dirección anterior. Se cierra la sesión en todos los dispositivos, se revocan los tokens de API y eliges una contraseña nueva.',
      submit: 'Deshacer el cambio',
    },
    undone: (email) =>
      `Tu correo electrónico vuelve a ser ${email}. Te hemos enviado un enlace para elegir una contraseña nueva.`,
    notNow: 'Ahora no',
    isConnected: 'Las dos cuentas están conectadas.',
    refused: {
      EMAIL_TAKEN:
        'Ya hay una cuenta con este correo. Inicia sesión una vez con tu contraseña y conecta las dos en «Cuenta».',
      INVALID_INPUT: 'El otro servicio no indica un correo válido, y aquí toda cuenta necesita uno.',
      OTHER_ACCOUNT: 'Ese inicio de sesión ya pertenece a otra cuenta de aquí.',
      LOG_IN_EXPIRED: 'El inicio de sesión ha tardado demasiado. Inténtalo de nuevo.',
      LOG_IN_DENIED: 'Se ha cancelado el inicio de sesión.',
      LOG_IN_FAILED: 'No se ha podido iniciar sesión. Inténtalo de nuevo o usa tu contraseña.',
      PROVIDER_AWAY: 'El otro servicio no responde. Tu contraseña sigue funcionando.',
    },
  },
};
