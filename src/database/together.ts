import { isoOf } from '../base/clock.js';
import { unavailable } from '../base/errors.js';
import type { FairSemaphore, Release } from '../base/queues/fair-semaphore.js';
import { inOwnTime } from '../base/queues/shared-call.js';
import {
  currentRequest,
  forSeveral,
  inBackground,
  isPointless,
  type Request,
  untimed,
} from '../base/request.js';
import type { Database } from './database.js';
import { isNotApplied } from './outcome.js';
import type { Statement } from './statement.js';

/** Of several, the values of each name as an array. */
export type Each<Values> = { [Name in keyof Values]: Values[Name][] };

/** The same change for one user, and for several of whom each has one. */
export interface OneOrMany<Values, Row> {
  one: Statement<Values, Row>;
  /** Waits for no lock: what it leaves out then goes alone. */
  many: Statement<Each<Values>, Row & { whose: string }>;
}

/** At most so many in one statement, of those that admission lets in at a time. */
const MOST = 32;

/** Whoever has the turn keeps it no longer: it may wait for a lock, or for a slow disk. */
const TURN_MS = 20;

/** What is sent for several. */
type Sent<Row> = Promise<(Row & { whose: string })[]>;

interface Asked<Values> {
  values: Values;
  request: Request | null;
}

interface Waiting<Values, Row> extends Asked<Values> {
  /** Goes with that of somebody else. */
  join: (sent: Sent<Row>) => void;
}

/**
 * Changes of different users that come while one is under way go together, in the next statement: they share what it
 * takes to begin, to commit and to answer. Where nobody waits, each goes alone. See docs/decisions/together.md.
 */
export class Together<Values extends { userId: string }, Row> {
  private readonly turns: FairSemaphore;
  private waiting: Waiting<Values, Row>[] = [];

  constructor(
    private readonly database: Database,
    private readonly statements: OneOrMany<Values, Row>,
    /** Called when a set has failed, which may well be noticed by nobody else. */
    private readonly noteFailure: (error: unknown) => void = () => {},
  ) {
    this.turns = database.semaphore(1, 1);
  }

  /** Undefined if it changed nothing. */
  async run(values: Values): Promise<Row | undefined> {
    const turn = this.turns.tryAcquire(values.userId) ?? (await untimed(() => this.wait(values)));
    return typeof turn === 'function' ? this.lead(values, turn) : this.ownOf(turn.sent, values);
  }

  /** Until it is its turn, or it goes with another. */
  private wait(values: Values): Promise<Release | { sent: Sent<Row> }> {
    return new Promise((resolve, reject) => {
      const stop = () => {
        this.waiting = this.waiting.filter((each) => each !== own);
      };
      const own = {
        values,
        request: currentRequest(),
        join: (sent: Sent<Row>) => {
          leave();
          resolve({ sent });
        },
      };
      this.waiting.push(own);
      const leave = this.turns.wait(values.userId, {
        begin: (release) => {
          stop();
          resolve(release);
        },
        refuse: (error) => {
          stop();
          reject(error);
        },
      });
    });
  }

  /** Takes with it who waits, one of each user. Its turn is over with the set, even if it then goes alone. */
  private async lead(values: Values, release: Release): Promise<Row | undefined> {
    let isOver = false;
    const end = () => {
      if (!isOver) release();
      isOver = true;
    };
    const timer = inBackground(() => setTimeout(end, TURN_MS));
    try {
      const others = this.companionsOf(values);
      if (others.length === 0) return await this.alone(values);
      const sent = this.send([{ values, request: currentRequest() }, ...others]);
      sent.catch(this.noteFailure).then(end);
      for (const each of others) each.join(sent);
      return await this.ownOf(sent, values);
    } finally {
      clearTimeout(timer);
      end();
    }
  }

  private companionsOf(values: Values): Waiting<Values, Row>[] {
    const users = new Set([values.userId]);
    const isTaken = ({ values: { userId }, request }: Waiting<Values, Row>) =>
      users.size < MOST && !users.has(userId) && !isPointless(request) && users.add(userId) !== undefined;
    const { taken = [], left = [] } = Object.groupBy(this.waiting, (each) =>
      isTaken(each) ? 'taken' : 'left',
    );
    this.waiting = left;
    return taken;
  }

  private send(all: readonly Asked<Values>[]): Sent<Row> {
    const names = Object.keys(all[0]?.values ?? {}) as (keyof Values)[];
    const written = (value: unknown) => (value instanceof Date ? isoOf(value) : value); // see `PoolConnection`
    const each = names.map((name) => [name, all.map(({ values }) => written(values[name]))]);
    const columns = Object.fromEntries(each) as Each<Values>;
    const requests = all.map(({ request }) => request);
    return forSeveral(requests, () => this.database.run(this.statements.many, columns));
  }

  /**
   * Each waits in its own time. One that fails makes all fail, and nothing is done: then each is told what is wrong with
   * its own.
   */
  private async ownOf(sent: Sent<Row>, values: Values): Promise<Row | undefined> {
    const answer = () => inOwnTime(sent, () => unavailable('UNKNOWN'));
    const rows = await untimed(answer).catch((error: unknown) => {
      if (isNotApplied(error)) return [];
      this.database.noteChange();
      throw error;
    });
    const own = rows.find(({ whose }) => whose === values.userId);
    if (!own) return this.alone(values);
    this.database.noteChange();
    return own;
  }

  private async alone(values: Values): Promise<Row | undefined> {
    const [row] = await this.database.run(this.statements.one, values);
    return row;
  }
}
