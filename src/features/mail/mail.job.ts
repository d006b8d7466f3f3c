import { BackOff } from '../../base/queues/back-off.js';
import { countJobs, type Taken } from '../../jobs/jobs.queries.js';
import { type Base, type Hold, type Outcome, Runner } from '../../jobs/runner.js';
import { type Letter, messageOf } from './letter.js';
import { MAIL, type Mail, type TakenMail } from './mail.js';
import { type Delivery, type Envelope, SmtpSession, smtpReason } from './smtp.js';
import { type Sender, type SmtpServer, smtpServerOf } from './smtp-url.js';
import { topics } from './topics.js';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** After so many lost connections, each at another mail, the server counts as away: some mails may make it close. */
const MOST_LOST = 20;

/** So often a mail is handed to a server that does not say whether it accepts it: each may be a copy that arrives. */
const MOST_COPIES = 3;

/** While the mail server cannot be used. */
const SERVER_PAUSES_MS = { first: 1_000, last: 60_000 };

export interface MailSettings {
  smtpUrl: string;
  mailFrom: Sender;
  publicUrl: string;
}

/** Writes a mail as it has to be now; null if nobody is to be told any more. */
export type Write = (mail: TakenMail) => Promise<Letter | null>;

/** A mail as it goes over the wire. */
interface Written {
  envelope: Envelope;
  text: Buffer;
}

/** Sends the mails that wait, one process at a time and one after the other. What fails is tried again for a day. */
export class MailJob {
  readonly runner: Runner<Mail>;
  private readonly server: SmtpServer;
  private readonly backOff = new BackOff(SERVER_PAUSES_MS);
  private session: SmtpSession | undefined;
  /** Whether the server could not be used before a mail was even named to it. */
  private isUnreachable = false;
  /** How many connections were lost since the server has last answered. */
  private lost = 0;

  constructor(
    private readonly base: Base,
    private readonly settings: MailSettings,
    private readonly write: Write,
  ) {
    this.server = smtpServerOf(settings.smtpUrl);
    this.runner = new Runner<Mail>(
      {
        ...{ kind: MAIL, failure: 'A mail could not be written' },
        limits: { atOnce: 1, ofLane: 1, ofUser: 1, together: 1, isAlone: true },
        leaseMs: 120_000, // longer than the patience with the mail server
        backOff: { firstMs: 5_000, factor: 4, longestMs: DAY_MS },
        lastsMs: DAY_MS,
        ...{ lookMs: 5_000, alwaysLooks: true },
        carryOut: (job, hold) => this.send(job, hold),
        rests: (isStopping) => this.rests(isStopping),
        givenUp: (count) => {
          topics.mails.publish({ outcome: 'GIVEN_UP', count });
          base.log.error({ count }, 'Mails could not be sent for a day, and are given up');
        },
      },
      base,
    );
  }

  private async send(job: Taken<Mail>, hold: Hold<Mail>): Promise<Outcome<Mail>> {
    const mail = { ...job.payload, id: job.id, userId: job.userId };
    if (mail.copies >= MOST_COPIES) return this.giveUp(mail);
    this.session ??= await this.open(hold.giveUp); // before the letter: its link ends the one that the person may have already
    const { session } = this;
    if (!session) return { is: 'UNTRIED', restMs: this.backOff.next() };
    const written = await this.written(mail);
    if (!written) return { is: 'DONE' };
    const { id, kind, copies } = mail;
    if (copies > 0) {
      topics.mails.publish({ outcome: 'UNKNOWN', count: 1 });
      const line = 'The mail server took a mail and did not say so: it is sent again';
      this.base.log.warn({ mail: id, kind }, line);
    }
    const delivery = await session.deliver(written.envelope, written.text, async () => {
      if (!(await hold.note({ copies: copies + 1 }))) throw new Error('Another process sends this mail');
    });
    if (delivery.outcome !== 'ACCEPTED') this.close();
    return this.outcomeOf(delivery, mail, hold);
  }

  /** Nothing if there is nothing to send. */
  private async written(mail: TakenMail): Promise<Written | undefined> {
    const { mailFrom: from, publicUrl } = this.settings;
    const letter = await this.write(mail);
    if (letter === null) return undefined;
    const date = this.base.clock.now();
    const text = await messageOf({ ...letter, id: mail.id, from, publicUrl, date });
    return { envelope: { from: from.address, to: letter.to }, text };
  }

  private outcomeOf(delivery: Delivery, mail: TakenMail, hold: Hold<Mail>): Outcome<Mail> {
    const { id, kind, copies } = mail;
    switch (delivery.outcome) {
      case 'ACCEPTED':
        this.noteThere();
        topics.mails.publish({ outcome: 'ACCEPTED', count: 1 });
        return { is: 'DONE' };
      case 'REFUSED':
        this.noteThere();
        topics.mails.publish({ outcome: 'REFUSED', count: 1 });
        this.base.log.warn({ mail: id, kind, code: delivery.code }, 'A mail was refused');
        return { is: 'AGAIN', note: { copies } };
      case 'UNKNOWN':
        if (copies + 1 >= MOST_COPIES) return this.giveUp(mail);
        return { is: 'AGAIN', ...this.losing(1) };
      case 'LOST': // perhaps at this mail each time, and others wait
      case 'CLOSING':
        if (hold.giveUp.aborted) return { is: 'UNTRIED' };
        return { is: 'AGAIN', ...this.losing(delivery.outcome === 'CLOSING' ? MOST_LOST : 1) };
    }
  }

  private losing(count: number): { restMs?: number } {
    this.lost += count;
    if (this.lost < MOST_LOST) return {};
    this.noteAway('CONNECTION_LOST');
    return { restMs: this.backOff.next() };
  }

  private giveUp({ id, kind }: TakenMail): Outcome<Mail> {
    topics.mails.publish({ outcome: 'GIVEN_UP', count: 1 });
    const line = `The mail server took a mail ${MOST_COPIES} times and did not say so: it is given up`;
    this.base.log.error({ mail: id, kind }, line);
    return { is: 'DONE' };
  }

  private async open(giveUp?: AbortSignal): Promise<SmtpSession | undefined> {
    try {
      return await SmtpSession.open(this.server, giveUp ?? new AbortController().signal);
    } catch (error) {
      this.isUnreachable = true;
      this.noteAway(smtpReason(error));
      return undefined;
    }
  }

  private close(): void {
    this.session?.close();
    this.session = undefined;
  }

  /** Another process may have sent what this one could not: then there is no mail by which to notice that it is there. */
  private async rests(isStopping: boolean): Promise<number | undefined> {
    this.close();
    if (isStopping || !this.backOff.hasFailed) return undefined;
    if (!this.isUnreachable && !(await this.isEmpty())) return undefined; // the next mail tells
    const session = await this.open();
    if (!session) return this.backOff.next();
    session.close();
    this.noteThere();
    return undefined;
  }

  private async isEmpty(): Promise<boolean> {
    const [found] = await countJobs(this.base.database.query(), [MAIL], this.base.clock.now());
    return !found?.waiting;
  }

  /**
   * Where mails wait, to be called once the server has taken or refused one: some only answer a connection, and then
   * close it.
   */
  private noteThere(): void {
    if (this.backOff.hasFailed) this.base.log.info('The mail server can be used again');
    this.backOff.reset();
    this.lost = 0;
    this.isUnreachable = false;
    topics.mailServer.publish('THERE');
  }

  /** One line when it begins, and none for each attempt. */
  private noteAway(reason: string): void {
    topics.mailServer.publish('AWAY');
    const line = 'The mail server cannot be used: mails wait, and are tried again for a day';
    if (!this.backOff.hasFailed) this.base.log.warn({ reason }, line);
  }
}
