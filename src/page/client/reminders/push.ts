import { keepSetting, setting } from '../shell/session.js';
import { alone } from '../shell/tabs.js';
import { ownToken, Refused } from '../sync/api.js';
import { inWords, words } from '../ui/later-words.js';
import { addChannel, deleteChannel, readReminders } from './reminders.js';

/** Something stands in the way of notifications on this device. */
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
  if (permission !== 'granted') throw await refusedBy(permission === 'denied' ? 'denied' : 'notAllowed');
  const { pushManager } = await navigator.serviceWorker.ready;
  await (await pushManager.getSubscription())?.unsubscribe(); // it may be of another key, or have ended
  const asked = { userVisibleOnly: true, applicationServerKey: pushKey };
  const subscription = await pushManager.subscribe(asked).catch(async (error: DOMException) => {
    throw error.name === 'AbortError' ? await refusedBy('noService') : error;
  });
  const { endpoint = '', keys = {} } = subscription.toJSON();
  const push = { endpoint, p256dh: keys.p256dh ?? '', auth: keys.auth ?? '' };
  keepSetting('channel', await addChannel(name, { push }));
  keepSetting('endpoint', endpoint);
  (await import('./notifications.js')).followNotifications();
}

async function refusedBy(name: keyof typeof words.obstacles): Promise<Refused> {
  await inWords(null);
  return new Refused(words.obstacles[name], '');
}

/** If this device rings, the way to let it ring anew. */
export async function ringingHere(): Promise<(() => Promise<void>) | null> {
  const { me, reminderService } = await readReminders();
  const channel = me.channels.find(({ id }) => id === setting('channel'));
  const { pushKey } = reminderService;
  return channel && pushKey ? () => ringHere(pushKey, channel.name) : null;
}

/** A browser may have given this device another address since. */
export const ringHereStill = (): Promise<void> =>
  alone('ring', async () => {
    const id = setting('channel');
    const { pushManager } = await navigator.serviceWorker.ready;
    if ((await pushManager.getSubscription())?.endpoint === setting('endpoint')) return;
    await (await ringingHere())?.();
    if (setting('channel') !== id) await deleteChannel(id);
  });

/** Nothing rings here any more, whatever the service still believes, and nothing that rang stays to be read. */
export async function ringHereNoMore(token = ownToken()): Promise<void> {
  const id = setting('channel');
  keepSetting('channel', '');
  await silence().catch(() => {}); // the service should hear of it all the same
  if (id && token) await deleteChannel(id, token);
}

async function silence(): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration();
  for (const each of (await registration?.getNotifications()) ?? []) each.close();
  await (await registration?.pushManager?.getSubscription())?.unsubscribe();
}

/** People would call this device so. */
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
