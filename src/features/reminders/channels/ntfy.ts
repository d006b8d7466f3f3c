import { causeOf, HttpClient, reasonOf } from '../../../base/outgoing/http-client.js';
import { type Delivery, isTaken, type Notice, type Receiver, refused, type Sender } from './message.js';

/** The operator's ntfy server. A repetition has the same sequence id, and takes the place of what is shown. */
export class NtfySender implements Sender {
  private readonly client = new HttpClient();

  constructor(private readonly url: string) {}

  async send({ address: topic, token }: Receiver, notice: Notice): Promise<Delivery> {
    const { id, title, text, url, done } = notice;
    const body = JSON.stringify({
      topic,
      title,
      message: text,
      tags: ['bell'],
      sequence_id: sequenceOf(id),
      ...(url && { click: url }),
      ...(done && {
        actions: [{ action: 'http', label: done.label, url: done.url, method: 'POST', clear: true }],
      }),
    });
    try {
      const { status } = await this.client.send(new URL(`${this.url}/`), {
        headers: { 'Content-Type': 'application/json', ...authorizationOf(token) },
        body,
      });
      return isTaken(status) ? { taken: true } : { taken: false, error: refused(status), again: true };
    } catch (error) {
      return { taken: false, error: reasonOf(error), cause: causeOf(error), again: true };
    }
  }

  async dismiss({ address: topic, token }: Receiver, id: string): Promise<void> {
    const url = new URL(`${this.url}/${topic}/${sequenceOf(id)}/clear`);
    const { status } = await this.client.send(url, { method: 'PUT', headers: authorizationOf(token) });
    if (status === 429 || status >= 500) throw new Error(refused(status)); // it may succeed later
  }

  close(): void {
    this.client.close();
  }
}

const sequenceOf = (id: string) => id.replaceAll('-', '');

const authorizationOf = (token: string | null): Record<string, string> =>
  token ? { Authorization: `Bearer ${token}` } : {};
