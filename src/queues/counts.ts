/** How much each owner has of something. An owner without any takes no memory. */
export class Counts<Owner = string> {
  private readonly counts = new Map<Owner, number>();
  /** What all of them have together. */
  total = 0;

  of(owner: Owner): number {
    return this.counts.get(owner) ?? 0;
  }

  add(owner: Owner, by: number): void {
    this.total += by;
    const sum = this.of(owner) + by;
    if (sum > 0) this.counts.set(owner, sum);
    else this.counts.delete(owner);
  }
}
