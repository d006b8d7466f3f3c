import {
  type Context,
  context,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { OperationTrail, Trail } from './trail.js';

/** Undefined while nobody wants traces: each seam then asks this, and no more. */
let tracer: Tracer | undefined;

/** Once a provider is registered. Returns a function that ends it. */
export function beginTracing(): () => void {
  tracer = trace.getTracer('steady');
  return () => {
    tracer = undefined;
  };
}

export const isTracing = (): boolean => tracer !== undefined;

/** W3C: version, trace, span, flags. */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

function parentIn(traceparent: unknown): Context {
  const [, traceId, spanId, flags = ''] = TRACEPARENT.exec(String(traceparent)) ?? [];
  if (!traceId || !spanId) return ROOT_CONTEXT;
  const parent: SpanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  return trace.setSpanContext(ROOT_CONTEXT, parent);
}

/** Begins the span of a request, which goes on the trace of the client if that sent a valid `traceparent`. */
export function beginRequest(trail: Trail, method: string, traceparent: unknown): void {
  if (!tracer) return;
  const attributes = { 'http.request.method': method };
  trail.span = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, parentIn(traceparent));
}

export function endRequest({ span, route, userId, reason, id }: Trail, method: string, status: number): void {
  if (!span) return;
  if (route) {
    span.updateName(`${method} ${route}`);
    span.setAttribute('http.route', route);
  }
  span.setAttributes({ 'http.response.status_code': status, 'steady.request.id': id });
  if (userId) span.setAttribute('user.id', userId);
  if (reason) span.setAttribute('error.type', reason);
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/** Runs the work of a request: spans that begin in it are below its own. */
export const inRequest = <T>(trail: Trail | undefined, work: () => T): T =>
  trail?.span ? context.with(trace.setSpan(ROOT_CONTEXT, trail.span), work) : work();

/** Runs what carries an operation out. */
export const inOperation = <T>(trail: Trail | undefined, work: () => T): T =>
  trail?.operationSpan ? context.with(trace.setSpan(context.active(), trail.operationSpan), work) : work();

/** Begins the span of an operation. It ends by `endOperation`. */
export function beginOperation(trail: Trail, { type, name }: OperationTrail): void {
  if (!tracer) return;
  const above = trail.span ? trace.setSpan(ROOT_CONTEXT, trail.span) : ROOT_CONTEXT;
  const attributes = { 'graphql.operation.type': type, ...(name && { 'graphql.operation.name': name }) };
  trail.operationSpan = tracer.startSpan(type, { attributes }, above);
}

export function endOperation({ operationSpan, code }: Trail): void {
  if (!operationSpan) return;
  if (code) operationSpan.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', code);
  operationSpan.end();
}

/** Runs what resolves a field at the root. */
export const asRootField = <T>(trail: Trail | undefined, field: string, work: () => T): T =>
  tracer ? spanned(field, { 'graphql.field.name': field }, work, trail?.operationSpan) : work();

/** Runs what sends a statement. Neither its text nor its values are told. */
export function asStatement<T>(text: string, work: () => T): T {
  if (!tracer) return work();
  const { operation, table } = nameOf(text);
  const attributes = {
    'db.system.name': 'postgresql',
    'db.operation.name': operation,
    ...(table && { 'db.collection.name': table }),
  };
  return spanned(table ? `${operation} ${table}` : operation, attributes, work);
}

/** Runs work that no request asks for. */
export const asTask = <T>(name: string, work: () => T): T => (tracer ? spanned(name, {}, work) : work());

export const traceIdOf = ({ span }: Trail): string | undefined => span?.spanContext().traceId;

function spanned<T>(name: string, attributes: Record<string, string>, work: () => T, parent?: Span): T {
  const above = parent ? trace.setSpan(context.active(), parent) : context.active();
  const span = tracer?.startSpan(name, { attributes }, above);
  if (!span) return work();
  const fail = (error: unknown) => {
    const { code, name: type } = error as { code?: unknown; name?: string };
    span
      .setStatus({ code: SpanStatusCode.ERROR })
      .setAttribute('error.type', String(code ?? type))
      .end();
    throw error;
  };
  try {
    const answer = context.with(trace.setSpan(above, span), work);
    if (answer instanceof Promise) {
      return answer.then((value) => {
        span.end();
        return value;
      }, fail) as T;
    }
    span.end();
    return answer;
  } catch (error) {
    return fail(error);
  }
}

/** What a statement does, and to which table: a write before a read, since it may stand in a `with`. */
const WRITES = /(?<!\bfor |\bkey |\bdo )\b(insert into|update|delete from)\s+"?([a-z_]+)\b(?!\()/gi;
const READS = /\b(select)\b[\s\S]*?\bfrom\s+"?([a-z_]+)\b(?!\()/gi;
const FIRST = /^\s*([a-z]+)\b/i;

/** The parts of a `with`: they read as tables, and are none. */
const PARTS = /\b"?([a-z_]+)"? as (?:materialized )?\(/gi;

interface StatementName {
  operation: string;
  table: string | undefined;
}

/** By text: the builder writes a few hundred, and none of them holds what a client has sent. */
const names = new Map<string, StatementName>();
const MOST_NAMES = 2_000;

function nameOf(text: string): StatementName {
  const known = names.get(text);
  if (known) return known;
  const parts = new Set([...text.matchAll(PARTS)].map(([, part]) => part));
  const done = [...text.matchAll(WRITES), ...text.matchAll(READS)].find(([, , table]) => !parts.has(table));
  const [, words = '', table] = done ?? FIRST.exec(text) ?? [];
  const [operation = ''] = words.toUpperCase().split(' ');
  const found = { operation, table };
  if (names.size < MOST_NAMES) names.set(text, found);
  return found;
}
