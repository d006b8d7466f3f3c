import type { Connection } from './connection.js';
import { WHO } from './documents.js';
import { SteadyError } from './errors.js';
import type { ClientStorage } from './storage.js';
import { Entries } from './taps.js';

/** Tells tokens apart without keeping them: 53 bits of nothing that could be used. */
function markOf(token: string): string {
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (const character of token) {
    const code = character.codePointAt(0) ?? 0;
    high = Math.imul(high ^ code, 2_654_435_761);
    low = Math.imul(low ^ code, 1_597_334_677);
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  return `?${(4_294_967_296 * (2_097_151 & high) + (low >>> 0)).toString(36)}`;
}

/** Whose taps wait: somebody else may log in on the same device, and a token may be replaced. */
export class Account {
  private readonly owners: Entries<string>;

  constructor(
    private readonly connection: Connection,
    storage: ClientStorage,
  ) {
    this.owners = new Entries(storage, 'owner:');
  }

  /** The id of the user, or a mark of the token while nobody has said who that is; empty when nobody is logged in. */
  async known(): Promise<string> {
    const { token } = this.connection;
    if (!token) return '';
    return (await this.owners.get(markOf(token))) ?? markOf(token);
  }

  async learn(token: string, userId: string): Promise<void> {
    if ((await this.owners.get(markOf(token))) !== userId) await this.owners.set(markOf(token), userId);
  }

  /** Asks the service, which tells its time too. A token may be allowed to complete and not to read. */
  async ask(): Promise<void> {
    const { token } = this.connection;
    if (!token) return;
    try {
      const { me } = await this.connection.ask<{ me: { id: string } }>(WHO);
      await this.learn(token, me.id);
    } catch (error) {
      if (!(error instanceof SteadyError) || error.reason !== 'SCOPE_MISSING') throw error;
    }
  }

  /** Whether something is of whoever is here, as far as it is known: the service refuses what is of somebody else. */
  async owns(owner: string): Promise<boolean> {
    const here = await this.known();
    const whose = isMark(owner) ? ((await this.owners.get(owner)) ?? owner) : owner;
    return [here, whose].some((each) => !each || isMark(each)) || here === whose;
  }
}

const isMark = (owner: string) => owner.startsWith('?');
