import type { Config } from '../../../base/config.js';
import { shareSuccess } from '../../../base/queues/shared-call.js';
import type { Database } from '../../../database/database.js';
import { AppriseSender } from './apprise.js';
import { ChannelKind } from './channel.entity.js';
import type { Sender } from './message.js';
import { NtfySender } from './ntfy.js';
import { newPushKeys, type PushKeys, PushSender } from './push.js';
import { madeOnce, PUSH_KEYS } from './stored-values.js';

type Settings = Pick<Config, 'publicUrl' | 'mailFrom' | 'ntfyUrl' | 'appriseUrl' | 'pushHosts'>;

/** Apple refuses pushes whose subject nobody could be reached by. */
const UNREACHABLE = /^(localhost|.*\.(localhost|invalid|test|local))$|^[\d.]+$|^\[/;

/** Whom a push service turns to; undefined where nobody can be named, so that no push can be sent. */
export function pushSubject({ publicUrl, mailFrom }: Settings): string | undefined {
  if (publicUrl?.startsWith('https:') && !UNREACHABLE.test(new URL(publicUrl).hostname)) return publicUrl;
  const address = mailFrom?.address;
  return address && !UNREACHABLE.test(address.split('@').at(-1) ?? '') ? `mailto:${address}` : undefined;
}

/** The ways of sending that this service has been set up for. With none of them, it calls nobody. */
export class Senders {
  readonly push: PushSender | undefined;
  readonly ntfy: NtfySender | undefined;
  readonly apprise: AppriseSender | undefined;
  readonly pushHosts: readonly string[];
  private readonly keys: () => Promise<PushKeys>;

  constructor(database: Database, config: Settings) {
    const read = () => madeOnce(database.query(), PUSH_KEYS, () => JSON.stringify(newPushKeys()));
    this.keys = shareSuccess(async () => JSON.parse(await read()) as PushKeys);
    this.pushHosts = config.pushHosts;
    const subject = pushSubject(config);
    if (subject) this.push = new PushSender({ subject, hosts: config.pushHosts, keys: this.keys });
    if (config.ntfyUrl) this.ntfy = new NtfySender(config.ntfyUrl);
    if (config.appriseUrl) this.apprise = new AppriseSender(config.appriseUrl);
  }

  of(kind: ChannelKind): Sender | undefined {
    return { PUSH: this.push, NTFY: this.ntfy, APPRISE: this.apprise }[kind];
  }

  get kinds(): ChannelKind[] {
    return Object.values(ChannelKind).filter((kind) => this.of(kind));
  }

  /** The public key; null where no push can be sent. */
  async pushKey(): Promise<string | null> {
    return this.push ? (await this.keys()).publicKey : null;
  }

  close(): void {
    for (const sender of [this.push, this.ntfy, this.apprise]) sender?.close();
  }
}
