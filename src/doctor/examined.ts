import { withoutData } from '../telemetry/log.js';
import { type Finding, wrong } from './finding.js';

/** A time that is up: of the connection's answer, of a statement, or of a lock. */
const SLOW = /^(57014|55P03)$/;
const UNANSWERED = /Query read timeout/;

const LOST = /^(08\w{3}|57P0\d|EPIPE|ECONN\w+|ENOTFOUND|E\w+UNREACH|ETIMEDOUT)$/;
const CUT = /Connection terminated|not queryable|Connection ended|timeout exceeded when trying/;

/** An examination stands on its own: what keeps one from being carried out says nothing of the others. */
export async function examined(
  about: string,
  look: () => Promise<Finding | Finding[]> | Finding | Finding[],
): Promise<Finding[]> {
  try {
    return [await look()].flat();
  } catch (error) {
    return [failed(about, error)];
  }
}

function failed(about: string, error: unknown): Finding {
  const { code = '', message = '' } = withoutData(error) as { code?: string; message?: string };
  if (SLOW.test(code) || UNANSWERED.test(message)) {
    return wrong(
      about,
      `could not be looked at: the database did not answer this question in time (${message})`,
      'Does another session hold a lock on the table (pg_locks, pg_stat_activity), or is the server overloaded?',
    );
  }
  if (LOST.test(code) || CUT.test(message)) {
    const fix = 'See the log of the server, and whether something between it and here ends connections.';
    return wrong(about, `could not be looked at: the connection was lost (${message})`, fix);
  }
  if (code === '42501') {
    const fix = 'Grant that to the user of the service, or make it the owner of the database.';
    return wrong(about, `could not be looked at: ${message}`, fix);
  }
  if (/^E[A-Z]+$/.test(code)) {
    const fix = 'Mend what the reason names, or give it to the account that runs the service.';
    return wrong(about, `could not be looked at: ${message}`, fix);
  }
  return wrong(
    about,
    `could not be looked at: ${message || code}`,
    'If the reason does not tell, report it as a bug.',
  );
}
