/** Holds a metric to a number of label sets. What comes beyond is counted under labels that it shares. */
export class LabelSets<Labels extends Record<string, string | number>> {
  private readonly known = new Map<string, Labels>();

  constructor(
    private readonly most: number,
    private readonly shared: (labels: Labels) => Labels,
  ) {}

  /** The labels to count under. */
  of(labels: Labels): Labels {
    const key = Object.values(labels).join(' ');
    const known = this.known.get(key);
    if (known) return known;
    const kept = this.known.size < this.most ? labels : this.shared(labels);
    if (kept === labels) this.known.set(key, labels);
    return kept;
  }
}
