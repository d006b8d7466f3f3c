import { backoffOf } from './retry.js';

/** In milliseconds: a connection that lived so long was a good one. One that is refused at once is not. */
const GOOD = 10_000;

/** In milliseconds: how long an answer may take when what looks open may be dead. */
const HURRIED_PATIENCE = 2_000;

export interface LiveConnection {
  /** Does not wait for the other side, which may have gone without a word. */
  end: () => void;
  /** Ends it, unless the other side gives a sign of life. */
  probe: (patience: number) => void;
}

export interface Live {
  stop: () => void;
  /** The network has come back, or the window: what looks open may be dead. */
  hurry: () => void;
}

/** Keeps a connection, until it is told to stop. `connect` says when it is in force, and when it is over: for good, or not. */
export function follow(
  connect: (opened: () => void, ended: (isForGood: boolean) => void) => LiveConnection,
): Live {
  const backoff = backoffOf(500, 15_000);
  let connection: LiveConnection | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;

  const begin = () => {
    clearTimeout(timer);
    let openedAt = Number.POSITIVE_INFINITY;
    const opened = () => {
      openedAt = performance.now();
    };
    connection = connect(opened, (isForGood) => {
      connection = undefined;
      isOver ||= isForGood;
      if (isOver) return;
      if (performance.now() - openedAt > GOOD) backoff.reset();
      timer = setTimeout(begin, backoff.next());
    });
  };
  begin();
  return {
    stop: () => {
      isOver = true;
      clearTimeout(timer);
      connection?.end();
    },
    hurry: () => {
      if (connection) connection.probe(HURRIED_PATIENCE);
      else if (!isOver) begin();
    },
  };
}
