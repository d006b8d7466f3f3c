import { causeOf, HttpClient, neverArrived, reasonOf } from '../../../base/outgoing/http-client.js';
import { type Delivery, isTaken, type Notice, type Receiver, refused, type Sender } from './message.js';

/** The status with which the Apprise API answers if it knows none of the URLs. */
const NOBODY = 204;

/**
 * The operator's Apprise API. It may have told some receivers before it fails, and repetitions are seen: so a message is
 * sent again only if it is certain that it never arrived.
 */
export class AppriseSender implements Sender {
  readonly sendsOnce = true;
  readonly reachesAnyHost = true;
  private readonly client = new HttpClient({ keepAlive: false });
  private readonly url: URL;

  constructor(url: string) {
    this.url = new URL(/\/notify$/.test(url) ? url : `${url}/notify`);
  }

  async send({ address: urls }: Receiver, { title, text }: Notice): Promise<Delivery> {
    try {
      const { status } = await this.client.send(this.url, {
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ urls, title, body: text }),
      });
      if (status === NOBODY) return { taken: false, error: 'Apprise knows none of the URLs', again: false };
      const again = status === 429 || status === 503;
      return isTaken(status) ? { taken: true } : { taken: false, error: refused(status), again };
    } catch (error) {
      const again = neverArrived(error);
      return { taken: false, error: reasonOf(error), cause: causeOf(error), again };
    }
  }

  close(): void {
    this.client.close();
  }
}
