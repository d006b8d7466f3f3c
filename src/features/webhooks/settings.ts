import type { Setting, ValuesOf } from '../../base/config/setting.js';
import { type WebhookHosts, webhookHosts } from './address.js';

const settings = {
  webhookHosts: {
    name: 'WEBHOOK_HOSTS',
    about:
      'Where [webhooks](clients.md#webhooks) may lead, separated by commas: `*` for every public address by https on port 443; names such as `n8n.example.com`, and `*.example.com` for all below it but not itself; ranges such as `192.168.1.0/24`. Names and ranges are allowed wherever they are, by http and on any port: name nothing that trusts this machine. Names that stand here are looked up as by any program, in `/etc/hosts` too; all others are asked of the DNS servers alone.',
    unset: 'unset: no webhooks',
    allowed:
      'where webhooks may lead: * for every public address by https on port 443, names such as n8n.example.com or *.example.com, ranges such as 192.168.1.0/24, separated by commas',
    read: webhookHosts,
    fallback: undefined,
  } satisfies Setting<WebhookHosts | undefined>,
};

declare module '../../base/config/setting.js' {
  interface SettingsOfFeatures extends ValuesOf<typeof settings> {}
}

export const webhookSettings = { settings };
