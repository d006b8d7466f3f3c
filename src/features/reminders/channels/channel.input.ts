import 'reflect-metadata';
import { ECDH } from 'node:crypto';
import { Extensions, Field, InputType } from 'type-graphql';
import { limits, Whole, written } from '../../../base/validation.js';
import { Name } from '../../account/rules.js';

const LONGEST_ENDPOINT = 2_048;
const LONGEST_TOKEN = 200;
const LONGEST_URLS = 4_000;

@InputType({ description: 'What PushSubscription.toJSON() has in a browser.' })
export class PushInput {
  @Field({ description: 'The address at the push service of the browser.' })
  endpoint!: string;

  @Field({ description: 'The public key of the browser, `keys.p256dh`.' })
  p256dh!: string;

  @Field({ description: 'The secret of the subscription, `keys.auth`.' })
  auth!: string;
}

@InputType({ description: 'A topic of the ntfy server of this service.' })
export class NtfyInput {
  @Field({
    description: 'The topic. Whoever knows it may be able to read it, so choose one that nobody guesses.',
  })
  topic!: string;

  @Field(() => String, { nullable: true, description: 'An access token, where the topic needs one.' })
  token?: string | null;
}

@InputType({ description: 'Receivers that the Apprise API of this service knows.' })
export class AppriseInput {
  @Field({ description: 'URLs as Apprise has them, such as tgram://…, separated by commas.' })
  urls!: string;
}

const bytesIn = (text: unknown) =>
  typeof text === 'string' && /^[\w+/=-]+$/.test(text) ? Buffer.from(text, 'base64url').length : 0;

/** As messages can be encrypted for it. */
function isPoint(text: unknown): boolean {
  if (bytesIn(text) !== 65) return false;
  try {
    ECDH.convertKey(String(text), 'prime256v1', 'base64url');
    return true;
  } catch {
    return false;
  }
}

/** Paths of ntfy, which it refuses as topics. */
const NO_TOPICS = [
  ...['docs', 'static', 'file', 'app', 'metrics'],
  ...['account', 'settings', 'signup', 'login', 'v1'],
];

function pushProblem({ endpoint, p256dh, auth }: Partial<Record<keyof PushInput, unknown>>) {
  if (typeof endpoint !== 'string' || endpoint.length > LONGEST_ENDPOINT || !URL.canParse(endpoint))
    return 'must have the endpoint of a push service';
  if (!isPoint(p256dh)) return 'must have the key p256dh, a point of P-256 of 65 bytes, in base64url';
  return bytesIn(auth) === 16 ? undefined : 'must have the secret auth of 16 bytes, in base64url';
}

function ntfyProblem({ topic, token }: Partial<Record<keyof NtfyInput, unknown>>) {
  if (typeof topic !== 'string' || !/^[\w-]{1,64}$/.test(topic))
    return 'must have a topic of 1 to 64 letters, digits, _ and -';
  if (NO_TOPICS.includes(topic)) return 'must have a topic that ntfy does not keep for itself';
  if (token === null || token === undefined) return undefined;
  const isToken = typeof token === 'string' && /^[\x21-\x7e]+$/.test(token) && token.length <= LONGEST_TOKEN;
  return isToken ? undefined : 'must have a token of visible ASCII characters';
}

function appriseProblem({ urls }: Partial<Record<keyof AppriseInput, unknown>>) {
  const isText = typeof urls === 'string' && urls.length <= LONGEST_URLS && /^[\x20-\x7e]+$/.test(urls);
  return isText && /^\s*[a-z][\w+-]*:\/\/[^\s,]/i.test(urls)
    ? undefined
    : 'must have URLs as Apprise has them';
}

@Extensions({ isOneOf: true })
@InputType({ description: 'To where a channel leads.' })
export class ReceiverInput {
  @Field(() => PushInput, { nullable: true, description: 'A browser.' })
  push?: PushInput | null;

  @Field(() => NtfyInput, { nullable: true, description: 'A topic of ntfy.' })
  ntfy?: NtfyInput | null;

  @Field(() => AppriseInput, { nullable: true, description: 'Receivers by Apprise.' })
  apprise?: AppriseInput | null;
}

const ReceiverRule = () =>
  Whole('receiver', ({ push, ntfy, apprise }: ReceiverInput) => {
    if (push) return pushProblem(push);
    return ntfy ? ntfyProblem(ntfy) : appriseProblem(apprise ?? {});
  });

@InputType({ description: 'A channel to add.' })
export class AddChannelInput {
  @Field({
    description: `What you call it, such as the name of a device: at most ${written(limits.name)} characters.`,
  })
  @Name({ max: limits.name })
  name!: string;

  @Field(() => ReceiverInput, { description: 'To where it leads.' })
  @ReceiverRule()
  receiver!: ReceiverInput;
}
