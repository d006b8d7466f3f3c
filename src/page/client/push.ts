import { Refused } from './api.js';
import { words } from './reminder-texts.js';
import { addChannel, readReminders, removeChannel } from './reminders.js';
import { keepSetting, setting } from './session.js';

/** What stands in the way of notifications on this device. */
export type Obstacle = 'insecure' | 'homeScreen' | 'old' | 'unsupported' | 'denied';

export function obstacle(): Obstacle | null {
  if (!isSecureContext) return 'insecure';
  const canRing = 'PushManager' in window && 'Notification' in window && navigator.serviceWorker;
  if (!canRing) return obstacleOfSystem();
  return Notification.permission === 'denied' ? 'denied' : null;
}

/** Apple offers notifications only to what stands on the Home Screen. An iPad says that it is a Mac. */
function obstacleOfSystem(): Obstacle {
  const { userAgent, maxTouchPoints } = navigator;
  const isApple = /iPhone|iPad/.test(userAgent) || (/Macintosh/.test(userAgent) && maxTouchPoints > 1);
  if (!isApple) return 'unsupported';
  return matchMedia('(display-mode: standalone)').matches ? 'old' : 'homeScreen';
}

/** To be called from a tap: browsers ask the person only then. */
export async function ringHere(pushKey: string, name: string): Promise<void> {
  const permission = await Notification.requestPermission();
  if (permission !== 'granted')
    throw new Refused(words.obstacles[permission === 'denied' ? 'denied' : 'notAllowed'], '');
  const { pushManager } = await navigator.serviceWorker.ready;
  const former = await pushManager.getSubscription();
  if (former && keyOf(former) !== pushKey) await former.unsubscribe();
  const asked = { userVisibleOnly: true, applicationServerKey: pushKey };
  const subscription = await pushManager.subscribe(asked).catch((error: DOMException) => {
    throw error.name === 'AbortError' ? new Refused(words.obstacles.noService, '') : error;
  });
  const { endpoint = '', keys = {} } = subscription.toJSON();
  const push = { endpoint, p256dh: keys.p256dh ?? '', auth: keys.auth ?? '' };
  keepSetting('channel', await addChannel({ name, push }));
  keepSetting('endpoint', endpoint);
  (await import('./notifications.js')).followNotifications();
}

const keyOf = ({ options: { applicationServerKey } }: PushSubscription) =>
  applicationServerKey &&
  btoa(String.fromCharCode(...new Uint8Array(applicationServerKey)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** A browser may have given this device another address since. */
export async function ringHereStill(): Promise<void> {
  const id = setting('channel');
  const { pushManager } = await navigator.serviceWorker.ready;
  if ((await pushManager.getSubscription())?.endpoint === setting('endpoint')) return;
  const { me, reminderService } = await readReminders();
  const channel = me.channels.find((each) => each.id === id);
  if (!channel || !reminderService.pushKey) return;
  await ringHere(reminderService.pushKey, channel.name);
  if (setting('channel') !== id) await removeChannel(id);
}

/** Nothing rings here any more, whatever the service still believes, and nothing that rang stays to be read. */
export async function ringHereNoMore(token?: string): Promise<void> {
  const id = setting('channel');
  keepSetting('channel', '');
  const registration = await navigator.serviceWorker?.getRegistration();
  for (const each of (await registration?.getNotifications()) ?? []) each.close();
  await (await registration?.pushManager?.getSubscription())?.unsubscribe();
  if (id) await removeChannel(id, token);
}

/** As people call this device. */
export function deviceName(): string {
  const { userAgent } = navigator;
  const browsers = { Firefox: /Firefox/, Edge: /Edg\//, Chrome: /Chrome/, Safari: /Safari/ };
  const systems = {
    iPhone: /iPhone/,
    iPad: /iPad/,
    Android: /Android/,
    Windows: /Windows/,
    Mac: /Mac OS/,
    Linux: /Linux/,
  };
  const found = (names: Record<string, RegExp>) =>
    Object.entries(names).find(([, sign]) => sign.test(userAgent))?.[0];
  return [found(browsers), found(systems)].filter(Boolean).join(', ');
}
