import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock } from '../clock.js';
import { type Sender, type SmtpServer, smtpServerOf } from '../config/smtp-url.js';
import type { Database } from '../database/database.js';
import { BackOff } from '../queues/back-off.js';
import { topics } from '../telemetry/topics.js';
import { type Letter, messageOf } from './letter.js';
import {
  countWaiting,
  deleteMail,
  deleteOlder,
  deleteUnanswered,
  type Held,
  MAILS,
  type MailTables,
  markHanded,
  putBack,
  release,
  type TakenMail,
  takeDue,
} from './mail.queries.js';
import { type Delivery, type Envelope, SmtpSession, smtpReason } from './smtp.js';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** How often a process looks for mails whose announcement it has not heard. */
const LOOK_MS = 5_000;

const AT_ONCE = 20;

/** After so many lost connections, each at another mail, the server counts as away: some mails may make it close. */
const MOST_LOST = AT_ONCE;

/** Longer than the patience with the mail server, so that nobody takes a mail that is being sent. */
const LEASE_MS = 120_000;

/** While the mail server cannot be used. */
const SERVER_PAUSES_MS = { first: 1_000, last: 60_000 };

/** After a mail was refused, or the connection was lost with it: each pause is four times the one before, so that a day has some eight attempts. */
const REFUSED_PAUSE_MS = 5_000;

/** How long a stop waits for the mail that is on its way. */
const LAST_MAIL_MS = 2_000;

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

/** Sends the mails that wait, one process at a time. It never throws: what fails is tried again for a day. */
export class MailSender {
  private readonly processId = randomUUID();
  private readonly server: SmtpServer;
  private readonly backOff = new BackOff(SERVER_PAUSES_MS);
  private readonly stopped = new AbortController();
  private readonly givenUp = new AbortController();
  private pauseMs = LOOK_MS;
  private isBlind = false;
  /** How many connections were lost since the server has last answered. */
  private lost = 0;
  private running = Promise.resolve();
  private wake = () => {};
  private unfollow = () => {};

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly log: Logger,
    private readonly settings: MailSettings,
    private readonly write: Write,
  ) {
    this.server = smtpServerOf(settings.smtpUrl);
  }

  begin(): void {
    this.unfollow = this.database.announcements.follow(MAILS, () => this.wake());
    this.running = this.run();
  }

  /** A mail that is on its way is waited for, but not long. */
  async stop(): Promise<void> {
    this.unfollow();
    this.stopped.abort();
    const patience = setTimeout(() => this.givenUp.abort(), LAST_MAIL_MS);
    await this.running;
    clearTimeout(patience);
  }

  private async run(): Promise<void> {
    const { signal } = this.stopped;
    while (!signal.aborted) {
      const woken = new AbortController();
      let isWoken = false;
      this.wake = () => {
        isWoken = true;
        if (!this.backOff.hasFailed) woken.abort(); // a server that is away is not asked more often for that
      };
      const pause = await this.round().then(
        (pause) => {
          this.isBlind = false;
          return pause;
        },
        (error: unknown) => this.noteBlind(error),
      );
      if (isWoken && !this.backOff.hasFailed) continue;
      const ended = AbortSignal.any([signal, woken.signal]);
      await delay(pause, undefined, { signal: ended, ref: false }).catch(() => {});
    }
  }

  /** One line until it works again. Returns how many milliseconds to wait. */
  private noteBlind(error: unknown): number {
    if (!this.isBlind) this.log.error({ err: error }, 'Mails could not be looked for');
    this.isBlind = true;
    return LOOK_MS;
  }

  /** Returns how many milliseconds to wait for the next one. */
  private async round(): Promise<number> {
    const waiting = await countWaiting(this.query());
    topics.mailsWaiting.tell(waiting);
    if (waiting === 0) return LOOK_MS;
    const now = this.clock.now();
    await this.tidy(now);
    const mails = await this.take(now);
    if (mails.length === 0) return LOOK_MS;
    try {
      if (!(await this.sendAll(mails))) return this.pauseMs;
      return mails.length === AT_ONCE ? 0 : LOOK_MS;
    } finally {
      await release(this.query(), this.processId);
    }
  }

  private take(now: Date): Promise<TakenMail[]> {
    const until = new Date(now.getTime() + LEASE_MS);
    return this.database.transaction((tx) =>
      takeDue(tx.getKysely<MailTables>(), { processId: this.processId, now, until, most: AT_ONCE }),
    );
  }

  private async tidy(now: Date): Promise<void> {
    const unanswered = await deleteUnanswered(this.query(), now);
    if (unanswered > 0) this.tell('UNKNOWN', unanswered);
    const tooOld = await deleteOlder(this.query(), new Date(now.getTime() - DAY_MS));
    if (tooOld > 0) this.tell('GIVEN_UP', tooOld);
  }

  /** Returns false if the server cannot be used. */
  private async sendAll(mails: TakenMail[]): Promise<boolean> {
    let session: SmtpSession | undefined;
    const halfOfLease = new Date(this.clock.now().getTime() + LEASE_MS / 2);
    try {
      for (const mail of mails) {
        if (this.stopped.signal.aborted) return true;
        if (this.clock.now() > halfOfLease) return true;
        session ??= await this.open(); // before the letter: its link ends the one that the person may have already
        if (session === undefined) return false;
        const written = await this.written(mail);
        if (!written) continue;
        const { outcome } = await this.deliver(session, mail, written);
        if (outcome === 'ACCEPTED') continue;
        session.close();
        session = undefined;
        if (outcome === 'CLOSING' || this.lost >= MOST_LOST) {
          this.noteAway('CONNECTION_LOST');
          return false;
        }
      }
      return true;
    } finally {
      session?.close();
    }
  }

  /** Nothing if there is nothing to send, or not now. */
  private async written(mail: TakenMail): Promise<Written | undefined> {
    const { mailFrom: from, publicUrl } = this.settings;
    try {
      const letter = await this.write(mail);
      if (letter === null) await deleteMail(this.query(), this.held(mail));
      if (letter === null) return undefined;
      const text = await messageOf({ ...letter, id: mail.id, from, publicUrl, date: this.clock.now() });
      return { envelope: { from: from.address, to: letter.to }, text };
    } catch (error) {
      this.log.error({ err: error, mail: mail.id, kind: mail.kind }, 'A mail could not be written');
      await this.postpone(mail);
      return undefined;
    }
  }

  private async open(): Promise<SmtpSession | undefined> {
    try {
      return await SmtpSession.open(this.server, this.givenUp.signal);
    } catch (error) {
      this.noteAway(smtpReason(error));
      return undefined;
    }
  }

  /** To be called once the server has taken or refused a mail: some only answer a connection, and then close it. */
  private noteThere(): void {
    if (this.backOff.hasFailed) this.log.info('The mail server can be used again');
    this.backOff.reset();
    this.lost = 0;
    topics.mailServer.tell('THERE');
  }

  /** One line when it begins, and none for each attempt. */
  private noteAway(reason: string): void {
    topics.mailServer.tell('AWAY');
    if (!this.backOff.hasFailed)
      this.log.warn({ reason }, 'The mail server cannot be used: mails wait, and are tried again for a day');
    this.pauseMs = this.backOff.next();
  }

  private async deliver(
    session: SmtpSession,
    mail: TakenMail,
    { envelope, text }: Written,
  ): Promise<Delivery> {
    const delivery = await session.deliver(envelope, text, async () => {
      const isOurs = await markHanded(this.query(), this.held(mail), this.clock.now());
      if (!isOurs) throw new Error('Another process sends this mail');
    });
    await this.note(mail, delivery);
    if (delivery.outcome === 'LOST' || delivery.outcome === 'UNKNOWN') this.lost += 1;
    if (delivery.outcome === 'ACCEPTED' || delivery.outcome === 'REFUSED') this.noteThere();
    return delivery;
  }

  private async note(mail: TakenMail, delivery: Delivery): Promise<void> {
    const { outcome } = delivery;
    const isNotSent = outcome === 'LOST' || outcome === 'CLOSING';
    if (isNotSent && this.stopped.signal.aborted) {
      await putBack(this.query(), this.held(mail), { attempts: mail.attempts, dueAt: this.clock.now() });
    } else if (isNotSent) {
      await this.postpone(mail); // the server may close the connection at this mail each time, and others wait
    } else if (outcome === 'REFUSED') {
      const nextAt = await this.postpone(mail);
      const { id, kind } = mail;
      topics.mails.tell({ outcome, count: 1 });
      this.log.warn({ mail: id, kind, code: delivery.code, nextAt }, 'A mail was refused');
    } else {
      await deleteMail(this.query(), this.held(mail));
      this.tell(outcome);
    }
  }

  /** Returns until when. */
  private async postpone(mail: TakenMail): Promise<Date> {
    const dueAt = new Date(this.clock.now().getTime() + REFUSED_PAUSE_MS * 4 ** mail.attempts);
    await putBack(this.query(), this.held(mail), { attempts: mail.attempts + 1, dueAt });
    return dueAt;
  }

  private held({ id }: TakenMail): Held {
    return { id, processId: this.processId };
  }

  private tell(outcome: 'ACCEPTED' | 'UNKNOWN' | 'GIVEN_UP', count = 1): void {
    topics.mails.tell({ outcome, count });
    if (outcome === 'UNKNOWN')
      this.log.warn({ count }, 'The mail server took a mail and did not say so: it is not sent again');
    if (outcome === 'GIVEN_UP')
      this.log.error({ count }, 'Mails could not be sent for a day, and are given up');
  }

  private query() {
    return this.database.query<MailTables>();
  }
}
