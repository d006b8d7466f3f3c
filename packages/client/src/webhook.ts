/** Of a webhook, as it is sent. Ids are strings; what does not apply is left out. */
export interface WebhookEvent {
  /** Such as `completion.recorded`; `webhook.test` has no data of an event. */
  type: string;
  timestamp: string;
  data: {
    number?: number;
    user_id?: string;
    task_id?: string;
    completion_id?: string;
    challenge_id?: string;
    pause_id?: string;
    day?: string;
  };
}

type Headers = { get(name: string): string | null } | Record<string, string | readonly string[] | undefined>;

export interface SignedWebhook {
  /** As it was shown when the webhook was made: `whsec_…` */
  secret: string;
  headers: Headers;
  /** The body as it came: what was parsed and written again has another signature. */
  body: string | Uint8Array;
}

/** In seconds: an older message may have been sent again by somebody who has overheard it. */
const TOLERANCE = 5 * 60;

const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

function headerOf(headers: Headers, name: string): string {
  const found =
    typeof headers.get === 'function'
      ? headers.get(name)
      : Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];
  const value = typeof found === 'object' ? found?.[0] : found;
  if (typeof value !== 'string' || value === '') throw new Error(`The header ${name} is missing`);
  return value;
}

/** The event of a message that is truly of the service (standard-webhooks); rejects all others. */
export async function verifyWebhook({ secret, headers, body }: SignedWebhook): Promise<WebhookEvent> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature');
  const age = Math.abs(Date.now() / 1_000 - Number(timestamp));
  if (!(age <= TOLERANCE)) throw new Error('The message is too old, or of the future');
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const raw = bytesOf(secret.replace(/^whsec_/, ''));
  const key = await crypto.subtle.importKey('raw', raw, algorithm, false, ['verify']);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  for (const each of signatures.split(' ')) {
    const [, signature] = /^v1,([\w+/]+=*)$/.exec(each) ?? [];
    if (signature && (await isOf(key, signature, signed))) return JSON.parse(text);
  }
  throw new Error('No signature fits');
}

/** Compares in the same time whatever the difference. */
async function isOf(key: CryptoKey, signature: string, signed: Uint8Array<ArrayBuffer>): Promise<boolean> {
  try {
    return await crypto.subtle.verify('HMAC', key, bytesOf(signature), signed);
  } catch {
    return false; // no base64
  }
}
