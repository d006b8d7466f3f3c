import { type Kysely, sql } from 'kysely';
import { argumentsOf, subcommandOf, UsageError } from '../../base/commands/arguments.js';
import { toTheMinute } from '../../base/commands/report.js';
import { languageFor, tagOf } from '../../base/languages/choice.js';
import type { Language } from '../../base/languages/language.js';
import { commandOf, type Tools } from '../../feature.js';
import { countJobs } from '../../jobs/jobs.queries.js';
import type { AccountTables } from '../account/account.queries.js';
import { whereEmail } from '../account/account.queries.js';
import { folded } from '../account/rules.js';
import { noteFailure, noteTaken } from './channels/channel.queries.js';
import { Senders } from './channels/senders.js';
import { forgetValue, HOLD, storedValue, storeValue } from './channels/stored-values.js';
import type { MessageTables } from './message.queries.js';
import { MESSAGE } from './reminder.queries.js';
import { messageTexts } from './texts/index.js';

const HELP = `steady reminders status|on|off|test E-MAIL

Says whether reminders ring, lets them ring or holds them back, and tries the channels of a user.
After steady restore they are held back, and so are webhooks: two databases with the same users would
both ring.

status       what they are sent by, how many there are, and how many messages wait
on, off      for all processes on this database, from the next minute on
test E-MAIL  sends a message to each channel of that user now

Examples:
  steady reminders status
  steady reminders on
  steady reminders test ana@example.com

Exit codes:
  0  done; of a test: every channel has taken the message
  1  not, and a line says why`;

type Act = 'status' | 'on' | 'off' | 'test';

interface Asked {
  act: Act;
  email: string;
}

function askedIn(): Asked {
  const { word: act, args } = subcommandOf(['status', 'on', 'off', 'test']);
  const { operands } = argumentsOf({ operands: act === 'test' ? ['E-MAIL'] : [] }, args);
  return { act, email: folded((operands[0] ?? '').trim()) };
}

async function status({ database, clock }: Tools, senders: Senders): Promise<number> {
  const query = database.query<MessageTables>();
  const hold = await storedValue(query, HOLD);
  const { rows } = await sql<{ reminders: number; channels: number; next: Date | null }>`
    select count(*)::int as reminders, min(next_at) as next,
      (select count(*)::int from channels where state <> 'ENDED') as channels from reminders`.execute(query);
  const { reminders = 0, channels = 0, next = null } = rows[0] ?? {};
  const [found] = await countJobs(query, [MESSAGE], clock.now());
  console.log(`Reminders ${hold === undefined ? 'ring' : `ring nobody: ${hold}`}.`);
  console.log(`Sent by: ${senders.kinds.join(', ') || 'nothing that is set up'}.`);
  console.log(`${reminders} reminders, ${channels} channels, ${found?.waiting ?? 0} messages waiting.`);
  if (next) console.log(`The next rings at ${toTheMinute(next)}.`);
  return 0;
}

interface Tried extends Record<'address' | 'name' | 'id' | 'userId', string> {
  kind: 'PUSH' | 'NTFY' | 'APPRISE';
  p256dh: string | null;
  auth: string | null;
  token: string | null;
  language: Language | null;
}

async function test({ database, clock }: Tools, senders: Senders, email: string): Promise<number> {
  const query = database.query<MessageTables>();
  const { rows } = await sql<Tried>`
    select channels.id, user_id as "userId", kind, channels.name, address, p256dh, auth, token, language
    from users join channels on user_id = users.id
    where ${whereEmail(email)} order by channels.created_at`.execute(
    query as unknown as Kysely<AccountTables>,
  );
  if (rows.length === 0) throw new UsageError('There is no such user, or one without channels');
  let failures = 0;
  for (const channel of rows) {
    const language = languageFor(channel.language);
    const texts = messageTexts[language];
    const notice = {
      id: crypto.randomUUID(),
      title: texts.testTitle,
      text: texts.test,
      taskIds: [],
      day: '',
    };
    const sender = senders.of(channel.kind);
    const delivery = sender
      ? await sender.send(channel, { ...notice, language: tagOf(language) })
      : { taken: false as const, error: 'this service cannot send that', cause: undefined, again: false };
    const now = clock.now();
    if (sender)
      await (delivery.taken
        ? noteTaken(query, channel, now)
        : noteFailure(query, channel, { now, ...delivery }));
    if (!delivery.taken) failures += 1;
    const told = delivery.taken ? 'taken' : (delivery.cause ?? delivery.error);
    console.log(`${channel.kind} ${channel.name}: ${told}`);
  }
  return failures > 0 ? 1 : 0;
}

async function work(tools: Tools, { act, email }: Asked): Promise<number> {
  const { config, database } = tools;
  const senders = new Senders(database, config);
  try {
    if (act === 'status') return await status(tools, senders);
    if (act === 'test') return await test(tools, senders, email);
    if (act === 'on') await forgetValue(database.query(), HOLD);
    else await storeValue(database.query(), HOLD, 'off');
    console.log(act === 'on' ? 'Reminders ring from the next minute on.' : 'Reminders ring nobody.');
    return 0;
  } finally {
    senders.close();
  }
}

export const command = commandOf(HELP, askedIn, work);
