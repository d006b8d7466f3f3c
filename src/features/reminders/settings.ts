import { type Setting, url, type ValuesOf } from '../../base/config/setting.js';

const HOST = /^(?:\*\.)?[\w-]+(?:\.[\w-]+)*(?::(\d{1,5}))?$/;

/** Names in lower case, perhaps with a port; a star stands for any part before the rest. */
function listOfHosts(value: string): string[] | undefined {
  const list = value.split(',').map((part) => part.trim().toLowerCase());
  const isHost = (part: string) => {
    const [found, port = '443'] = HOST.exec(part) ?? [];
    return found !== undefined && Number(port) >= 1 && Number(port) <= 65_535;
  };
  return list.every(isHost) ? list : undefined;
}

const settings = {
  ntfyUrl: {
    ...url(
      'NTFY_URL',
      'The [ntfy server](reminders.md#ntfy) that reminders may be sent to, such as `http://ntfy`.',
      'the address of an ntfy server, such as http://ntfy or https://ntfy.example.com',
    ),
    unset: 'unset: none',
  },
  appriseUrl: {
    ...url(
      'APPRISE_URL',
      'The [Apprise API](reminders.md#apprise) that reminders may be sent to, such as `http://apprise:8000`.',
      'the address of an Apprise API, such as http://apprise:8000',
    ),
    unset: 'unset: none',
  },
  pushHosts: {
    name: 'PUSH_HOSTS',
    about:
      'Further [push services](reminders.md#web-push), such as `push.example.com`, `*.example.com` or `push.example.com:8443`, separated by commas. They may have private addresses.',
    unset: 'unset: those of the usual browsers',
    allowed:
      'names of hosts such as push.example.com, *.example.com or push.example.com:8443, separated by commas',
    read: listOfHosts,
    fallback: [],
  } satisfies Setting<string[]>,
};

declare module '../../base/config/setting.js' {
  interface SettingsOfFeatures extends ValuesOf<typeof settings> {}
}

export const reminderSettings = { settings };
