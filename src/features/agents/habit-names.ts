import { Refusal } from '../../base/errors.js';
import { rowId } from '../../base/validation.js';
import type { Database } from '../../database/database.js';
import type { TaskRow } from '../habits/task.queries.js';
import type { TaskService } from '../habits/task.service.js';
import { type Named, namesOfTasks } from './agents.queries.js';
import { agentLimits } from './limits.js';

/** More than one habit fits a name. */
export class SeveralFit extends Refusal {
  readonly named: { id: string; title: string; isArchived: boolean }[];

  constructor(fitting: readonly Named[]) {
    const some = fitting.slice(0, agentLimits.named);
    const ids = some.map(({ id }) => id).join(', ');
    const message = `${fitting.length} habits fit this name: give the id of the one that is meant, as a number (${ids})`;
    super('invalid', 'INVALID_INPUT', message, { fields: { habit: message } });
    this.named = some.map(({ id, ...habit }) => ({ ...habit, id: String(id) }));
  }
}

const noHabit = () =>
  new Refusal('missing', 'NOT_FOUND', 'No habit has this id or title: the tool `today` lists them');

const folded = (title: string) => title.normalize('NFKC').trim().replaceAll(/\s+/g, ' ').toLowerCase();

/** Finds the habit that an agent means by an id or a title. */
export class HabitNames {
  constructor(
    private readonly database: Database,
    private readonly tasks: TaskService,
  ) {}

  /**
   * A title in any case and, for whoever may read, also a part of it that begins at a word. A habit in use comes before
   * archived ones, and the whole of a title before a part.
   */
  async find(userId: string, name: string | number, mayRead: boolean): Promise<TaskRow> {
    if (typeof name === 'number') return this.get(userId, rowId(name));
    const named = await this.database.run(namesOfTasks, { userId });
    const id = rowId(name.trim());
    const known = named.filter((each) => each.id === id);
    const fitting = fittingTitles(named, folded(name), mayRead);
    const [first, ...others] = new Map([...known, ...fitting].map((each) => [each.id, each])).values();
    if (!first) throw noHabit();
    if (others.length > 0) throw new SeveralFit([first, ...others]);
    return this.get(userId, first.id);
  }

  private async get(userId: string, id: number): Promise<TaskRow> {
    const task = await this.tasks.find(userId, id);
    if (!task) throw noHabit();
    return task;
  }
}

function fittingTitles(named: readonly Named[], wanted: string, mayRead: boolean): Named[] {
  const isWhole = ({ title }: Named) => folded(title) === wanted;
  const isPart = ({ title }: Named) => ` ${folded(title)}`.includes(` ${wanted}`);
  const ways = mayRead ? [isWhole, isPart] : [isWhole];
  for (const isArchived of [false, true])
    for (const fits of ways) {
      const found = named.filter((each) => each.isArchived === isArchived && fits(each));
      if (found.length > 0) return found;
    }
  return [];
}
