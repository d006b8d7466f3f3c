import { nameOf } from '../statement.js';

/** A text that comes once more than this gets a name. */
const RECURS = 3;

/** How many texts get one: connections keep their plans for good. */
const NAMED = 100;

/** How many texts are counted at a time. */
const COUNTED = 1_000;

/**
 * Statements that nobody has declared as those of a hot path, and that come again and again: by a name PostgreSQL plans
 * them once per connection, and planning takes longer than most of them do.
 */
export class RecurringTexts {
  private readonly names = new Map<string, string>();
  private readonly times = new Map<string, number>();

  nameOf(text: string): string | undefined {
    const name = this.names.get(text);
    if (name || this.names.size === NAMED) return name;
    const times = (this.times.get(text) ?? 0) + 1;
    if (times > RECURS) {
      this.names.set(text, nameOf(text));
      this.times.delete(text);
    } else {
      if (this.times.size === COUNTED) this.times.clear();
      this.times.set(text, times);
    }
    return this.names.get(text);
  }
}
