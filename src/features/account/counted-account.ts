import { type Account, type Counters, profileColumns } from './account.queries.js';

/** Has the properties of a profile as promises. */
export class CountedAccount {
  #reading: Promise<Account> | undefined;
  readonly #read: () => Promise<Account>;

  constructor(
    readonly id: string,
    counters: Partial<Counters>,
    read: () => Promise<Account>,
  ) {
    this.#read = read;
    Object.assign(this, counters);
  }

  static {
    for (const name of profileColumns.names) {
      const get = function (this: CountedAccount) {
        this.#reading ??= this.#read();
        return this.#reading.then((account) => account[name]);
      };
      if (name !== 'id') Object.defineProperty(CountedAccount.prototype, name, { get });
    }
  }
}
