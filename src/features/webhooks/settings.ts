import type { Setting, ValuesOf } from '../../base/config/setting.js';
import { type WebhookHosts, webhookHosts } from './address.js';

const settings = {
  webhookHosts: {
    name: 'WEBHOOK_HOSTS',
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
