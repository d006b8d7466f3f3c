import { Shown } from './shown';

/** The latest ids in answers, by the variable of the examples that they are for. */
type Ids = Record<string, string>;

/** The field of an answer that has an id, or an object or a list of them whose id is meant. */
const sources: Record<string, string> = {
  task: 'taskId',
  tasks: 'taskId',
  completion: 'completionId',
  lastCompletionId: 'completionId',
  challenge: 'challengeId',
  activeChallenge: 'challengeId',
  challengeTemplates: 'templateId',
};

const filledIn = new Set<string>();

export const knownIds = new Shown<Ids>({});

export function learnIds(data: unknown): void {
  const found = idsIn(data);
  if (Object.keys(found).length > 0) knownIds.set({ ...knownIds.get(), ...found });
}

/**
 * The variables with the latest ids, where nothing is given or an earlier answer has filled it in. Undefined if
 * nothing is to be changed: what a person has typed stays.
 */
export function withIds(variables: string): string | undefined {
  const ids = knownIds.get();
  try {
    const given = JSON.parse(variables);
    const due = Object.keys(given).filter(
      (name) => ids[name] && given[name] !== ids[name] && (given[name] === '' || filledIn.has(given[name])),
    );
    if (due.length === 0) return undefined;
    for (const name of due) {
      given[name] = ids[name];
      filledIn.add(given[name]);
    }
    return JSON.stringify(given, null, 2);
  } catch {
    return undefined; // half typed
  }
}

/** Of several, the first. */
function idsIn(value: unknown, found: Ids = {}): Ids {
  if (typeof value !== 'object' || value === null) return found;
  for (const [field, below] of Object.entries(value)) {
    const name = sources[field];
    const id = name && idOf(below);
    if (id) found[name] ??= id;
    idsIn(below, found);
  }
  return found;
}

/** The id itself, or that of the object, of the first of a list, or of the first node of a connection. */
function idOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  const { nodes, id } = (value ?? {}) as { nodes?: unknown; id?: unknown };
  const first = Array.isArray(value) ? value[0] : Array.isArray(nodes) ? nodes[0] : undefined;
  return first === undefined ? (typeof id === 'string' ? id : undefined) : idOf(first);
}
