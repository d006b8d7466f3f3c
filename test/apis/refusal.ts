import type { Reason } from '../../src/base/errors.js';
import type { Acting, Given } from '../support/apis.js';
import type { Caller, Ids, Service } from './refusal-scene.js';

// For refusals.test.ts: what a row of its tables is, and short ways to write some.

/**
 * How something is asked for. A function asks both APIs; a text with a method and a path asks REST; any other text is an
 * operation of GraphQL, or a field of a mutation. In a text, `$swim` is the id of that name.
 */
export type Ask = string | [query: string, variables: Given] | ((who: Acting, ids: Ids) => Promise<unknown>);

/** By what is given. */
export type Asks = Record<string, Ask>;

export interface Why {
  reason: Reason;
  /** Ana, unless it is somebody else. */
  by?: Caller;
  /** The service that can do all, unless it is another one. */
  at?: Service;
  /** The input at fault, which GraphQL names. */
  field?: string | undefined;
  /** What is exceeded, which GraphQL names. */
  limit?: string;
  /** Of HTTP, where it is not that of the reason. */
  status?: number;
}

export type Sentence = string | RegExp | { REST: string; GraphQL: string | RegExp };

export interface Refusal extends Why {
  says: Sentence;
  asks: Asks;
}

export const refused = (why: Reason | Why, says: Sentence, asks: Asks): Refusal => ({
  ...(typeof why === 'string' ? { reason: why } : why),
  ...{ says, asks },
});

/** `field` is the input at fault, which GraphQL names. */
export const invalid = (field: string | undefined, says: Sentence, asks: Asks) =>
  refused({ reason: 'INVALID_INPUT', field }, says, asks);

export const missing = (what: string, asks: Asks) => refused('NOT_FOUND', `${what} not found`, asks);

/** The same ask with each of several values. */
export const each = <Value>(what: string, values: readonly Value[], ask: (value: Value) => Ask): Asks =>
  Object.fromEntries(
    values.map((value, at) => [`${what} ${JSON.stringify(value).slice(0, 40)} (${at + 1})`, ask(value)]),
  );

/** The same action with each of several values. */
export const acts = <Value>(
  what: string,
  values: readonly Value[],
  act: (value: Value, who: Acting, ids: Ids) => Promise<unknown>,
) => each(what, values, (value) => (who, ids) => act(value, who, ids));

/** A rule names the field: `New password must …` is about `newPassword`. */
const fieldIn = (rule: string) =>
  (/^(.*?) must/.exec(rule)?.[1] ?? '')
    .replace('Daily', 'Is daily')
    .toLowerCase()
    .replace(/ ([a-z])/g, (_, letter) => letter.toUpperCase());

type Rule = (says: string, ...values: unknown[]) => Refusal;

export const rule =
  (...asksFor: ((field: string, value: unknown) => Ask)[]): Rule =>
  (says, ...values) => {
    const field = fieldIn(says);
    const asks = asksFor.map((ask, way) => each(`way ${way}:`, values, (value) => ask(field, value)));
    return invalid(field, says, Object.assign({}, ...asks));
  };

export const createTask = (input: string, key = '') =>
  `createTask(input: { ${input} }${key}) { task { id } }`;
export const update = (id: string, input: string) =>
  `updateTask(id: ${id}, input: { ${input} }) { task { id } }`;

export const many = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => part(index)).join(' ');

export const TASK = 'mutation ($input: CreateTaskInput!) { createTask(input: $input) { task { id } } }';
export const CHANGES = ['deleteTask', 'archiveTask', 'unarchiveTask', 'moveTask'];
export const asItIs = (asks: string[]) => each('asked:', asks, (ask) => ask);
