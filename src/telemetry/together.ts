import type { DestinationStream } from 'pino';

/** In characters: more are written at once, whatever else the turn brings. */
const MOST = 65_536;

/**
 * Writes the lines of one turn of the event loop together: under load, a system call for each costs as much as the
 * line itself. The last ones are written when the process ends; only a kill can take those of its last turn.
 */
export function together(destination: DestinationStream): DestinationStream {
  let pending = '';
  const flush = () => {
    if (pending === '') return;
    const text = pending;
    pending = '';
    destination.write(text);
  };
  process.once('exit', flush);
  return {
    write: (line) => {
      if (pending === '') setImmediate(flush);
      pending += line;
      if (pending.length > MOST) flush();
    },
  };
}
