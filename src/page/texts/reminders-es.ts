import type { ReminderTexts } from './reminders-en.js';

export const es: ReminderTexts = {
  saved: 'Los recordatorios están guardados.',
  nowhere: 'Elige dónde llegan: antes no suena nada.',
  ofDay: 'Recordarme lo que queda del día a las',
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
      'Las notificaciones aún no están permitidas. Inténtalo otra vez y permítelas cuando el navegador pregunte: puede esconder la pregunta tras un icono en la barra de direcciones.',
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
  testFailed: (error) => `No se aceptó: ${error}`,
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
};
