import { isPassingReason, isTokenReason } from '../../../../packages/client/src/errors.js';
import { PATIENCE } from '../../../../packages/client/src/sending.js';
import { clock } from '../shell/clock.js';
import { home } from '../shell/paths.js';
import { languageIsLoaded, t } from '../ui/language.js';
import { isOnDevice, keepView, viewOf } from './storage.js';
import { get } from './store.js';

/** The service's "no", with a sentence for the person. */
export class Refused extends Error {
  constructor(
    message: string,
    readonly reason: string,
    /** The inputs that are at fault. */
    readonly fields: readonly string[] = [],
    /** The one that it was asked with. */
    readonly token: string | null = null,
  ) {
    super(message);
  }
}

/** Nobody knows what became of the request, or the service is too busy for it: the same may succeed later. */
export class NoAnswer extends Error {
  constructor(
    message: string,
    /** A sentence for the person, where the service gave one. */
    readonly sentence = '',
    /** What became of the change, where the service says so. */
    readonly outcome?: string,
  ) {
    super(message);
  }
}

export const hasTokenEnded = (error: unknown): error is Refused =>
  error instanceof Refused && isTokenReason(error.reason);

/** Of the service, and not for want of a log-in. */
export const isRefusal = (error: unknown): error is Refused =>
  error instanceof Refused && error.reason !== '' && !isTokenReason(error.reason);

interface FieldAtFault {
  name: string;
  path?: (string | number)[];
}

interface Answer<Data> {
  data?: Data;
  errors?: {
    message: string;
    extensions?: { code?: string; reason?: string; outcome?: string; fields?: FieldAtFault[] };
  }[];
}

export const ownToken = (): string | null => get().session?.token ?? null;

export async function ask<Data>(query: string, variables: object, token = ownToken()): Promise<Data> {
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  const body = JSON.stringify({ query, variables });
  const response = await request('graphql', token, { method: 'POST', headers, body });
  // A proxy in front says in HTML that the service is away.
  const answer: Answer<Data> | null = await response.json().catch(() => null);
  const { data, errors } = answer ?? {};
  const error = errors?.[0];
  if (data && !error) return data;
  const { code, reason, outcome, fields = [] } = error?.extensions ?? {};
  const message = String(error?.message);
  if (outcome === 'APPLIED') throw new NoAnswer(message, t.notices.savedUnread, outcome);
  if (code === 'GRAPHQL_VALIDATION_FAILED') {
    void renew().catch(() => {});
    throw new NoAnswer(message, t.notices.outOfDate);
  }
  // Without a reason it is not the service that speaks, but something in front of it.
  if (!reason || isPassingReason(reason))
    throw new NoAnswer(message, reason === 'TOO_MANY_ATTEMPTS' ? t.reasons[reason] : '', outcome);
  const names = fields.map(({ name, path = [] }) =>
    String(path.findLast((key) => typeof key === 'string') ?? name),
  );
  throw new Refused(message, reason, names, token);
}

/** Without the service, as it said last on this device; undefined if that is not known. */
export async function askOrKept<Data, View>(
  userId: string,
  name: string,
  query: string,
  viewIn: (data: Data) => View,
): Promise<View | undefined> {
  try {
    const view = viewIn(await ask<Data>(query, {}));
    keepView(userId, name, query, view).catch(() => {}); // it is for the next time without a network
    return view;
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    return viewOf<View>(userId, name, query).catch(() => undefined);
  }
}

/** Another part of the page. Most are kept on the device with the rest, but not after a newer page has come. */
export async function loaded<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load();
  } catch {
    throw new Refused(t.notices.partMissing, '');
  }
}

/** Loads the page that the service has now, once for each build. Nothing that was typed, or tapped, may be lost by it. */
async function renew(): Promise<void> {
  const build = import.meta.url;
  if (get().dialog || !isOnDevice() || sessionStorage.build === build) return;
  sessionStorage.build = build;
  await (await navigator.serviceWorker?.getRegistration())?.unregister();
  location.reload();
}

/** Asks, whatever it is; what is answered can be said in the language of the person. */
export async function request(
  path: string,
  token: string | null,
  init: RequestInit,
  patience = PATIENCE,
): Promise<Response> {
  try {
    const headers = { ...init.headers, ...(token && { authorization: `Bearer ${token}` }) };
    const asked = Date.now();
    const response = await fetch(home + path, { ...init, headers, signal: AbortSignal.timeout(patience) });
    clock.compare(asked, Date.parse(response.headers.get('date') ?? ''), Date.now());
    return response;
  } catch (error) {
    throw new NoAnswer(String(error));
  } finally {
    await languageIsLoaded();
  }
}

/** In words of the page; what came without a reason, in those of the service. */
export const reasonOf = (reason: string, message: string): string =>
  t.reasons[reason] ?? `${message.replace(/\.$/, '')}.`;

/** For people. */
export function sentenceOf(error: unknown): string {
  if (error instanceof NoAnswer) return error.sentence || t.notices.noAnswer;
  if (!(error instanceof Refused)) return t.notices.wentWrong(String(error));
  const { reason, message, fields } = error;
  if (reason !== 'INVALID_INPUT') return reasonOf(reason, message);
  const [only = '', another] = fields;
  const rule = another ? undefined : t.rules[only];
  if (rule) return rule;
  const names = fields.flatMap((name) => t.fields[name] ?? []);
  return names.length > 0 ? t.notices.check(t.listed(names)) : reasonOf(reason, message);
}
