/** What happens in a feature, and is counted there or followed by a later one. */
export class Topic<T> {
  private readonly listeners = new Set<(message: T) => void>();

  publish(message: T): void {
    for (const listen of this.listeners) listen(message);
  }

  /** Returns a function that ends it. */
  follow(listen: (message: T) => void): () => void {
    this.listeners.add(listen);
    return () => void this.listeners.delete(listen);
  }
}
