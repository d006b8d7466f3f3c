/** What has happened; by so much, else by one. */
type Count = (labels?: Readonly<Record<string, string>>, by?: number) => void;

/** A number, or one for each value of a label. */
export type Reading = number | Record<string, number>;

export interface GaugeOptions {
  label?: string;
  /** What stands for all processes; their sum without it. */
  aggregator?: 'sum' | 'max' | 'first';
  /** What stands for a reading that fails or comes late; no number without it. */
  missing?: number;
}

/** How a feature says what of it is counted, and what is read whenever metrics are asked for. */
export interface Meter {
  /** `labels`: the values of each. A series that begins when it first counts says that nothing has happened yet. */
  counter: (name: string, help: string, labels?: Readonly<Record<string, readonly string[]>>) => Count;
  gauge: (name: string, help: string, read: () => Reading | Promise<Reading>, options?: GaugeOptions) => void;
}
