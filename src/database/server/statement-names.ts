/** How many texts get a name: many more than the service has, and each costs memory on every connection. */
const MOST = 500;

/**
 * Names for statements, so that PostgreSQL parses and plans each of them once on a connection instead of each time:
 * for the one that records a completion that is three quarters of its work. Shared by the connections of a pool.
 */
export class StatementNames {
  private readonly names = new Map<string, string>();
  private given = 0;

  /** Undefined for a text without parameters, which may consist of several statements, and beyond the limit. */
  nameOf(text: string, values: readonly unknown[]): string | undefined {
    return values.length === 0 ? undefined : (this.names.get(text) ?? this.give(text));
  }

  /** For a statement whose plans no longer fit the tables: a migration has changed them since. */
  renew(text: string): void {
    this.names.delete(text);
  }

  private give(text: string): string | undefined {
    if (this.names.size >= MOST) return undefined;
    this.given += 1;
    const name = `steady_${this.given}`;
    this.names.set(text, name);
    return name;
  }
}
