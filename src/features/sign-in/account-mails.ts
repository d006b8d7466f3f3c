import { createHmac } from 'node:crypto';
import { type Kysely, type QueryExecutorProvider, sql } from 'kysely';
import type { Clock } from '../../base/clock.js';
import { languageFor, tagOf } from '../../base/languages/choice.js';
import type { Language } from '../../base/languages/language.js';
import { currentVisit } from '../../base/request.js';
import type { Database } from '../../database/database.js';
import type { AccountEvents, EmailChange, KnownAddress } from '../account/account.events.js';
import { whereEmail } from '../account/account.queries.js';
import { emailTaken } from '../account/account.refusals.js';
import { folded } from '../account/rules.js';
import { digestOf } from '../account/secret.js';
import type { Letter } from '../mail/letter.js';
import { insertMail, type NewMail, type TakenMail } from '../mail/mail.js';
import { mailTexts } from '../mail/texts/index.js';
import type { LinkPurpose } from './account-link.entity.js';
import {
  deleteExpired,
  deleteMailedLinks,
  findLink,
  insertLink,
  isEmailConfirmed,
  isReserved,
  type LinkTables,
  lastChange,
  lockPerson,
  setDigest,
} from './account-link.queries.js';
import type { MailLimit } from './mail-limit.js';

const HOUR_MS = 60 * 60 * 1_000;

/** How long a link that is mailed is good. */
const GOOD_MS = { RESET: HOUR_MS, CONFIRM: 24 * HOUR_MS, UNDO_EMAIL: 72 * HOUR_MS } satisfies Record<
  LinkPurpose,
  number
>;

/** What stands before the secret in the address of the page. */
const FRAGMENTS = { RESET: 'reset', CONFIRM: 'confirm', UNDO_EMAIL: 'undo-email' } satisfies Record<
  LinkPurpose,
  string
>;

/** Behind #, so that it is in no request, no log and no Referer. */
export const linkTo = (publicUrl: string, purpose: LinkPurpose, secret: string) =>
  `${publicUrl}/#${FRAGMENTS[purpose]}=${secret}`;

interface Person {
  id: string;
  email: string;
  language: Language | null;
  emailConfirmedAt: Date | null;
  hasPassword: boolean;
}

/** Decides who is mailed what. */
export class AccountMails implements AccountEvents {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly limit: MailLimit,
    private readonly publicUrl: string,
    private readonly secret: string,
  ) {}

  async signedUp(query: QueryExecutorProvider, account: KnownAddress, address: string): Promise<void> {
    await this.refuseReserved(query, account);
    if (!account.isConfirmed) await this.askToConfirm(query, account, address);
  }

  /** A link to a mailbox that may be somebody else's now ends with the address. */
  async emailChanged(query: QueryExecutorProvider, { from, to, address }: EmailChange): Promise<void> {
    const links = query as Kysely<LinkTables>;
    const { userId, email } = from;
    await this.refuseReserved(query, { userId, email: to });
    await deleteMailedLinks(links, userId, ['RESET', 'CONFIRM']);
    const now = this.clock.now();
    await deleteExpired(links, userId, now);
    if (from.isConfirmed) {
      const expiresAt = new Date(now.getTime() + GOOD_MS.UNDO_EMAIL);
      // Later than the change before, whatever the clocks of two processes say: taking that back ends this link.
      const after = ((await lastChange(links, userId))?.getTime() ?? 0) + 1;
      const createdAt = new Date(Math.max(now.getTime(), after));
      const link = { userId, purpose: 'UNDO_EMAIL' as const, digest: null, email, createdAt, expiresAt };
      const linkId = await insertLink(links, link);
      await this.insert(links, { kind: 'EMAIL_CHANGED', userId, address: email, linkId });
    }
    await this.askToConfirm(query, { userId, email: to }, address);
  }

  async passwordChanged(
    query: QueryExecutorProvider,
    { userId, email, isConfirmed }: KnownAddress,
  ): Promise<void> {
    await deleteMailedLinks(query as Kysely<LinkTables>, userId, ['RESET']);
    const asked = { kind: 'PASSWORD_CHANGED', account: userId, address: userId } as const;
    if (!isConfirmed || !(await this.limit.allows(query, asked))) return;
    await this.insert(query, { kind: asked.kind, userId, address: email });
  }

  /** The password is void now. The limit does not hold here: the owner must get in, whatever others have asked for. */
  async addressUndone(
    query: QueryExecutorProvider,
    { userId, email }: Pick<KnownAddress, 'userId' | 'email'>,
  ): Promise<void> {
    await this.insert(query, { kind: 'RESET', userId, address: email });
  }

  webhookSet(query: QueryExecutorProvider, userId: string): Promise<void> {
    return this.notifyOfWebhook(query, 'WEBHOOK_SET', userId);
  }

  webhookPaused(query: QueryExecutorProvider, userId: string): Promise<void> {
    return this.notifyOfWebhook(query, 'WEBHOOK_PAUSED', userId);
  }

  async askToConfirm(
    query: QueryExecutorProvider,
    { userId, email }: Pick<KnownAddress, 'userId' | 'email'>,
    address: string,
  ): Promise<void> {
    if (!(await this.limit.allows(query, { kind: 'CONFIRM', account: folded(email), address }))) return;
    await this.insert(query, { kind: 'CONFIRM', userId, address: email });
  }

  /**
   * Somebody asks for a reset. Whether there is such an account is looked up later, by the sender: so the answer takes
   * the same time.
   */
  async askToReset(email: string, address: string): Promise<void> {
    await this.limit.sweep();
    await this.database.transaction(async (tx) => {
      const query = tx.getKysely();
      if (!(await this.limit.allows(query, { kind: 'RESET', account: email, address }))) return;
      await this.insert(query, { kind: 'RESET', userId: null, address: email });
    });
  }

  /** Writes a mail as it has to be now, and makes the secret of its link. */
  async write(mail: TakenMail): Promise<Letter | null> {
    const person = await this.personOf(mail);
    if (!person) return null;
    const language = person.language ?? mail.language;
    const texts = mailTexts[language];
    const common = {
      to: mail.address,
      texts,
      language: tagOf(language),
    };
    switch (mail.kind) {
      case 'RESET':
        return this.withLink(mail, person, 'RESET', {
          ...common,
          to: person.email,
          text: person.hasPassword ? texts.reset : texts.firstPassword,
        });
      case 'CONFIRM': {
        const isDone = person.emailConfirmedAt !== null || folded(person.email) !== folded(mail.address);
        return isDone ? null : this.withLink(mail, person, 'CONFIRM', { ...common, text: texts.confirm });
      }
      case 'EMAIL_CHANGED':
        return this.withUndo(mail, { ...common, text: texts.emailChanged });
      case 'PASSWORD_CHANGED':
        return { ...common, text: texts.passwordChanged };
      case 'WEBHOOK_SET':
        return { ...common, to: person.email, text: texts.webhookSet };
      case 'WEBHOOK_PAUSED':
        return { ...common, to: person.email, text: texts.webhookPaused };
    }
  }

  /**
   * Anybody may make accounts with addresses of somebody else, and webhooks in them: all addresses that nobody has
   * confirmed are together one that asks.
   */
  private async notifyOfWebhook(
    query: QueryExecutorProvider,
    kind: 'WEBHOOK_SET' | 'WEBHOOK_PAUSED',
    userId: string,
  ): Promise<void> {
    const isConfirmed = await isEmailConfirmed(query as Kysely<LinkTables>, userId);
    const address = isConfirmed ? userId : 'unconfirmed addresses';
    if (!(await this.limit.allows(query, { kind, account: userId, address }))) return;
    await this.insert(query, { kind, userId, address: '' });
  }

  /** The device that asks may not be the reader's; but nothing else tells the language of who has chosen none. */
  private insert(query: QueryExecutorProvider, mail: Omit<NewMail, 'language' | 'now'>): Promise<void> {
    const language = languageFor(null, currentVisit()?.acceptLanguage);
    return insertMail(query, { ...mail, language, now: this.clock.now() });
  }

  private personOf({ userId, address }: TakenMail): Promise<Person | undefined> {
    return this.query()
      .selectFrom('users')
      .select([
        ...(['id', 'email', 'language', 'email_confirmed_at as emailConfirmedAt'] as const),
        sql<boolean>`password_hash is not null`.as('hasPassword'),
      ])
      .where(userId === null ? whereEmail(address) : (where) => where('users.id', '=', userId))
      .executeTakeFirst();
  }

  /**
   * A newer link ends the older ones, but not one that the operator has printed: anybody may ask for this one. A mail
   * that is sent again has the link that it had: null if that was used or has ended.
   */
  private async withLink(
    mail: TakenMail,
    { id: userId, email }: Person,
    purpose: 'RESET' | 'CONFIRM',
    letter: Letter,
  ): Promise<Letter | null> {
    const [secret, now] = [this.secretIn(mail), this.clock.now()];
    const link = { userId, purpose, digest: digestOf(secret), email, createdAt: now };
    const linked = { ...letter, link: linkTo(this.publicUrl, purpose, secret) };
    if (mail.copies > 0)
      return (await findLink(this.query(), { purpose, digest: link.digest, now })) ? linked : null;
    const expiresAt = new Date(now.getTime() + GOOD_MS[purpose]);
    return this.database.transaction(async (tx) => {
      const query = tx.getKysely<LinkTables>();
      const person = await lockPerson(query, userId);
      if (!person || folded(person.email) !== folded(email)) return null; // that mailbox is not theirs any more
      await deleteMailedLinks(query, userId, [purpose]);
      await deleteExpired(query, userId, now);
      await insertLink(query, { ...link, expiresAt });
      return linked;
    });
  }

  /** It follows from the mail: which of two copies arrives or is opened does not matter. It is stored nowhere. */
  private secretIn({ id }: TakenMail): string {
    return createHmac('sha256', this.secret).update(`link in mail ${id}`).digest('base64url');
  }

  /** Null if the change has been taken back meanwhile. */
  private async withUndo(mail: TakenMail, letter: Letter): Promise<Letter | null> {
    const { linkId } = mail;
    const secret = this.secretIn(mail);
    const found = linkId && (await setDigest(this.query(), linkId, digestOf(secret)));
    return found ? { ...letter, link: linkTo(this.publicUrl, 'UNDO_EMAIL', secret) } : null;
  }

  /** Whoever changed the address could otherwise make an account with the old one, and keep its owner out. */
  private async refuseReserved(
    query: QueryExecutorProvider,
    { userId, email }: Pick<KnownAddress, 'userId' | 'email'>,
  ): Promise<void> {
    if (await isReserved(query as Kysely<LinkTables>, userId, folded(email), this.clock.now()))
      throw emailTaken();
  }

  private query() {
    return this.database.query<LinkTables>();
  }
}
