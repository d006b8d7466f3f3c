import express, { type Request, type Response } from 'express';
import type { Logger } from 'pino';
import type { Config } from '../../../base/config.js';
import { Refusal } from '../../../base/errors.js';
import { asRequest, networkOf, suspended } from '../../../base/request.js';
import { addressOf, originOf, type Trust } from '../../../http/address.js';
import { noteRoute } from '../../../telemetry/trail.js';
import { EXCHANGE_MS, type IdentityService } from '../identity.service.js';
import { type ProviderLogIn, topics } from '../topics.js';
import { cookieIn, EXCHANGE_COOKIE, FLOW_MS, type Flow, type Flows } from './flow.js';
import { causeIn, FlowError, type FlowFault, isClientRefused, newChecks, type Provider } from './provider.js';

const FLOW_COOKIE = 'steady-flow';

/** Below the address of the service. */
const FLOW_PATH = '/auth/oidc';

interface Parts {
  config: Pick<Config, 'publicUrl'> & { timeouts: Pick<Config['timeouts'], 'databaseTime'> };
  provider: Provider;
  identities: IdentityService;
  flows: Flows;
  trusts: Trust;
  log: Logger;
}

/** The way to the provider and back. Whatever goes wrong, it ends on the page, which says it in words. */
export function oidcRoutes(parts: Parts): express.Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const visits = new Visits(parts);
  const served = (path: string, serve: (request: Request, response: Response) => Promise<void>) =>
    router.get(path, async (request, response) => {
      noteRoute(request, path);
      response.setHeader('Cache-Control', 'no-store');
      await serve(request, response).catch((error: unknown) => {
        const word = reasonOf(error, parts.log);
        if (request.trail) request.trail.notice = word;
        response.redirect(`${visits.page}#login-error=${word}`);
      });
    });
  const counted = async (logIn: Promise<void>, isOver: boolean) => {
    await logIn.catch((error: unknown) => {
      topics.providerLogIns.publish(outcomeOf(error));
      throw error;
    });
    if (isOver) topics.providerLogIns.publish('done');
  };
  served(FLOW_PATH, (request, response) => counted(visits.start(request, response), false));
  served(`${FLOW_PATH}/callback`, (request, response) => counted(visits.comeBack(request, response), true));
  served(`${FLOW_PATH}/sign-out`, (request, response) => visits.signOut(request, response));
  return router;
}

class Visits {
  constructor(private readonly parts: Parts) {}

  /** Where people are sent back to; never by what a request says. */
  get page(): string {
    return `${this.parts.config.publicUrl ?? ''}/`;
  }

  async start(request: Request, response: Response): Promise<void> {
    const { provider, flows } = this.parts;
    const { connect } = request.query;
    const starter = typeof connect === 'string' ? flows.starts.open(connect) : undefined;
    if (connect !== undefined && !starter) throw new FlowError('LOG_IN_EXPIRED');
    const flow: Flow = { ...newChecks(), ...(starter && { starter }) };
    const url = await suspended(() => provider.startUrl(this.callbackOf(request), flow)); // a slow one takes nobody's place
    const cookie = { name: FLOW_COOKIE, value: flows.cookies.seal(flow), path: FLOW_PATH, ms: FLOW_MS };
    this.setCookie(request, response, cookie);
    response.redirect(url.href);
  }

  async comeBack(request: Request, response: Response): Promise<void> {
    const { config, provider, identities, flows, trusts } = this.parts;
    const kept = cookieIn(request.headers.cookie, FLOW_COOKIE);
    const flow = kept === undefined ? undefined : flows.cookies.open(kept);
    if (!flow || request.query.state !== flow.state) throw new FlowError('LOG_IN_EXPIRED');
    // The cookie is good for one return. A return to another flow, as in an older window, leaves it.
    this.setCookie(request, response, { name: FLOW_COOKIE, value: '', path: FLOW_PATH, ms: 0 });
    const address = addressOf(request, trusts);
    const inTime = <T>(work: () => Promise<T>) =>
      asRequest(config.timeouts.databaseTime, work, networkOf(address));
    await inTime(() => identities.countReturn(flow.state, address));
    const here = new URL(this.callbackOf(request));
    here.search = new URL(request.originalUrl, here).search;
    const person = await suspended(() => provider.finish(here, flow));
    const { code, browser } = await inTime(async () => {
      const profile = () => suspended(person.profile);
      const arrived = await identities.arrive({ ...person, profile }, flow.starter, address);
      await identities.forgiveReturn(flow.state, address);
      return arrived;
    });
    const cookie = { name: EXCHANGE_COOKIE, value: browser, path: '/graphql', ms: EXCHANGE_MS };
    this.setCookie(request, response, cookie);
    response.redirect(`${this.page}#login=${code}`);
  }

  async signOut(request: Request, response: Response): Promise<void> {
    const url = await suspended(() => this.parts.provider.signOutUrl(`${this.baseOf(request)}/`));
    response.redirect(url?.href ?? this.page);
  }

  /** Without PUBLIC_URL the provider decides whether it knows the address that the browser was led to. */
  private baseOf(request: Request): string {
    const { config, trusts } = this.parts;
    return config.publicUrl ?? originOf(request, trusts);
  }

  private callbackOf(request: Request): string {
    return `${this.baseOf(request)}${FLOW_PATH}/callback`;
  }

  private setCookie(request: Request, response: Response, { name, value, path, ms }: Cookie): void {
    const base = new URL(this.baseOf(request));
    response.cookie(name, value, {
      path: `${base.pathname.replace(/\/$/, '')}${path}`,
      maxAge: ms,
      httpOnly: true,
      sameSite: 'lax',
      secure: base.protocol === 'https:',
      encode: String,
    });
  }
}

interface Cookie {
  name: string;
  value: string;
  path: string;
  ms: number;
}

const outcomes = {
  PROVIDER_AWAY: 'away',
  LOG_IN_DENIED: 'denied',
  LOG_IN_EXPIRED: 'expired',
  LOG_IN_FAILED: 'failed',
} satisfies Record<FlowFault, ProviderLogIn>;

function outcomeOf(error: unknown): ProviderLogIn {
  if (error instanceof FlowError) return outcomes[error.fault];
  return error instanceof Refusal ? 'refused' : 'failed';
}

const CLIENT_REFUSED = 'The provider does not know OIDC_CLIENT_ID, or not with that OIDC_CLIENT_SECRET';

/** For the page. The log has it too where the operator can do something about it. */
function reasonOf(error: unknown, log: Logger): string {
  if (error instanceof Refusal) return error.reason;
  if (!(error instanceof FlowError)) {
    log.error({ err: error }, 'A log-in at the provider failed');
    return 'LOG_IN_FAILED';
  }
  const { fault, cause } = error;
  const { error: said } = (cause ?? {}) as { error?: string };
  const hint = isClientRefused(cause) ? CLIENT_REFUSED : undefined;
  if (cause) log.warn({ fault, cause: causeIn(cause), said, hint }, 'A log-in at the provider failed');
  return fault;
}
