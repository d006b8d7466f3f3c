// Operations on webhooks: they are loaded with what asks them. A test holds them against the schema.

import { mutation, ONE } from '../sync/mutation.js';

export const WEBHOOKS = 'query Webhooks { me { id webhooks { id name url state lastDeliveredAt } } }';

export const CREATE_WEBHOOK = mutation('createWebhook', { input: 'CreateWebhookInput!' }, 'secret');

export const RESUME_WEBHOOK = mutation('resumeWebhook', ONE, 'webhook { id }');

export const DELETE_WEBHOOK = mutation('deleteWebhook', ONE, 'webhookId');
