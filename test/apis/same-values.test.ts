import {
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { declaredSchema } from '../../src/app.js';
import { withFeed } from '../support/feed.js';
import { streamOf } from '../support/live.js';
import { type Asker, graphqlOperations, plainly, valuesFor } from '../support/operations.js';
import { Stored, storedTypes, type Values } from '../support/stored.js';
import { type World, world } from '../support/world.js';

const schema: GraphQLSchema = declaredSchema();

const isStored = (type: GraphQLObjectType) => storedTypes.includes(type.name);

const requiredOf = (field: { args: readonly { type: unknown; defaultValue?: unknown }[] }) =>
  field.args.filter(({ type, defaultValue }) => isNonNullType(type) && defaultValue === undefined);

/**
 * Everything that can be reached from a type without arguments, with all scalars on the way. A type that
 * was seen above is shown once more, but not gone on from.
 */
function selectionOf(type: GraphQLObjectType, above: string[] = []): string {
  const fields = Object.values(type.getFields());
  const parts = fields.flatMap((field) => {
    const target = getNamedType(field.type);
    if (requiredOf(field).length > 0 || field.args.some(({ name }) => name === 'last')) return [];
    if (isLeafType(target)) return field.extensions.costs ? [] : [field.name]; // what costs more is counted, not stored
    // Below a task, a pause leads back to it, for each of as many rows as there may be.
    const leadsBack =
      (type.name === 'Pause' && above.includes('Task')) || (type.name !== 'Event' && above.includes('Event'));
    if (!isObjectType(target) || above.includes(type.name) || leadsBack) return [];
    const size = field.args.some(({ name }) => name === 'first') ? '(first: 2)' : '';
    return [`${field.name}${size} ${selectionOf(target, [...above, type.name])}`];
  });
  return `{ __typename ${parts.join(' ')} }`;
}

/** Every field that leads to a row: `Completion.task`, `TaskEdge.node`. */
const allWays = Object.values(schema.getTypeMap())
  .filter(isObjectType)
  .flatMap((type) =>
    Object.values(type.getFields())
      .filter(({ type: target }) => storedTypes.includes(getNamedType(target).name))
      .map(({ name }) => `${type.name}.${name}`),
  );

const asShown = (value: unknown) => (value instanceof Date ? value.toISOString() : value);

/** What is shown where nothing is stored. */
const unset: Values = { timeZone: 'UTC', weekStartsOn: 'MONDAY', tags: [] };

/** Compares every row in an answer with what is stored, and notes the ways on which there was one. */
class Comparison {
  readonly ways = new Set<string>();
  private readonly rows = new Map<string, Promise<Values>>();
  private readonly stored: Stored;

  constructor(
    private readonly here: World,
    private readonly userId: string,
  ) {
    this.stored = new Stored(here.database);
  }

  async ofGraphql(answer: unknown, parent: string, path: string[]): Promise<void> {
    if (Array.isArray(answer)) {
      for (const each of answer) await this.ofGraphql(each, parent, path);
    } else if (typeof answer === 'object' && answer !== null) {
      const { __typename: name = parent, ...values } = answer as Values & { __typename?: string };
      const type = schema.getType(name) as GraphQLObjectType;
      if (isStored(type)) {
        this.ways.add(`${parent}.${path.at(-1)}`);
        await this.compare(type, values, path);
      }
      for (const [field, value] of Object.entries(values))
        await this.ofGraphql(value, name, [...path, field]);
    }
  }

  /** Before each request, so that what it changes was made before it, and nothing is empty. */
  async begin(): Promise<void> {
    this.rows.clear();
    this.here.clock.advance({ seconds: 1 });
    await this.stored.fill(this.userId);
  }

  /** An answer may hold a row many times. */
  private rowOf(type: string, id: unknown): Promise<Values> {
    const key = `${type} ${id}`;
    const row = this.rows.get(key) ?? this.stored.row(type, id);
    this.rows.set(key, row);
    return row;
  }

  private async compare(type: GraphQLObjectType, values: Values, path: string[]): Promise<void> {
    const row = await this.rowOf(type.name, values.id);
    const expected = Object.keys(values)
      .filter((field) => field in row)
      .map((field) => [field, field === 'id' ? String(row.id) : asShown(row[field] ?? unset[field] ?? null)]);
    expect(expected.length).toBeGreaterThan(2);
    expect(values, path.join('.')).toMatchObject(Object.fromEntries(expected));
  }
}

/** Someone who has one of everything, and something in every column. */
async function populated(here: World) {
  const ana = await withFeed(await here.newUser());
  const challenge = await ana.hasAccepted(3);
  const task = await ana.hasTask({ challenge_template_id: 3, description: 'In the lake' });
  const { completeTask, createPause } = await ana.query(
    `mutation ($id: ID!) {
      completeTask(taskId: $id, amount: 3) { completion { id } }
      createPause(input: { taskId: $id, from: "2026-12-01" }) { pause { id } }
    }`,
    task,
  );
  await ana.rest.put(`/api/user-challenges/${challenge.id}/complete`);
  const active = await ana.hasAccepted(3);
  const ids = { challenge, task, completion: completeTask.completion, active, pause: createPause.pause };
  return { ana, comparison: new Comparison(here, ana.id), ids };
}

type Scene = Awaited<ReturnType<typeof populated>>;

/** Arguments of the fields at the root that need other ones than plain; mutations in an order in which they can be done. */
const examples: Record<string, (scene: Scene) => string> = {
  'Query.task': ({ ids }) => `id: ${ids.task.id}`,
  'Query.tasks': () => 'first: 2, archived: ANY',
  'Query.completion': ({ ids }) => `id: ${ids.completion.id}`,
  'Query.challenge': ({ ids }) => `id: ${ids.challenge.id}`,
  'Query.challengeTemplate': () => 'id: 3',
  'Query.events': () => 'first: 20',
  'Mutation.signUp': ({ ana }) =>
    `input: { name: "Ben", email: "ben-${ana.id}@example.com", password: "secret1" }`,
  'Mutation.logIn': ({ ana }) =>
    `input: { email: "${ana.account.email}", password: "${ana.account.password}" }`,
  'Mutation.updateProfile': () => 'input: { name: "Ana Maria" }',
  'Mutation.changePassword': ({ ana: { account } }) =>
    `input: { currentPassword: "${account.password}", newPassword: "${account.password}" }`,
  'Mutation.changeEmail': ({ ana: { account } }) =>
    `input: { currentPassword: "${account.password}", newEmail: "${account.email}" }`,
  'Mutation.createTask': () => 'input: { title: "Run", challengeTemplateId: 3, description: "Uphill" }',
  'Mutation.updateTask': ({ ids }) => `id: ${ids.task.id}, input: { title: "Dive" }`,
  'Mutation.completeTask': ({ ids }) => `taskId: ${ids.task.id}, idempotencyKey: "once", amount: 3`,
  'Mutation.completeTasks': ({ ids }) => `input: [{ taskId: ${ids.task.id}, idempotencyKey: "many" }]`,
  'Mutation.updateCompletionNote': ({ ids }) => `id: ${ids.completion.id}, note: "Cold"`,
  'Mutation.skipDay': ({ ids }) => `taskId: ${ids.task.id}, date: "2026-11-23"`,
  'Mutation.unskipDay': ({ ids }) => `taskId: ${ids.task.id}, date: "2026-11-23"`,
  'Mutation.updatePause': ({ ids }) => `id: "${ids.pause.id}", input: { until: "2026-12-02" }`,
  'Mutation.createPause': ({ ids }) => `input: { taskId: ${ids.task.id}, from: "2026-12-24" }`,
  'Mutation.deletePause': ({ ids }) => `id: "${ids.pause.id}"`,
  'Mutation.undoCompletion': ({ ids }) => `id: ${ids.completion.id}`,
  'Mutation.archiveTask': ({ ids }) => `id: ${ids.task.id}`,
  'Mutation.unarchiveTask': ({ ids }) => `id: ${ids.task.id}`,
  'Mutation.moveTask': ({ ids }) => `id: ${ids.task.id}, behindTaskId: null`,
  'Mutation.renameSection': () => 'name: "Morning", newName: "Dawn"',
  'Mutation.updateChallengeNotes': ({ ids }) => `id: ${ids.active.id}, notes: "Well"`,
  'Mutation.completeChallenge': ({ ids }) => `id: ${ids.active.id}`,
  'Mutation.acceptChallenge': () => 'templateId: 4',
  'Mutation.abandonChallenge': ({ ids }) => `id: ${ids.active.id}`,
  'Mutation.deleteTask': ({ ids }) => `id: ${ids.task.id}`,
};

/** The token that asks ends with these. */
const LAST = ['signOutEverywhere'];

/** Their answers name no row. */
const WITHOUT_ROWS = ['signOut', 'deleteMyAccount', 'createApiToken'];

/** They need a link, a mail, a provider or another token. */
const WITH_LINKS = [
  ...['confirmEmail', 'requestEmailConfirmation', 'requestPasswordReset', 'resetPassword', 'undoEmailChange'],
  ...['connectIdentity', 'deleteIdentity', 'exchangeLogIn', 'createCheckInLink', 'deleteCheckInLink'],
  ...['addChannel', 'deleteChannel', 'testChannel', 'deleteApiToken'],
  ...['createCalendarFeed', 'deleteCalendarFeed'],
  ...['createWebhook', 'updateWebhook', 'deleteWebhook', 'testWebhook', 'resumeWebhook'],
];

const isOfLink = (way: string) =>
  WITH_LINKS.some((name) => way.toLowerCase().startsWith(`${name.toLowerCase()}payload.`)) ||
  /^(CheckInLink|CalendarFeed)\./.test(way);

const rootFields = (root: string) =>
  Object.values((schema.getType(root) as GraphQLObjectType).getFields()).map(({ name }) => name);

const isOfChange = (way: string) =>
  /Payload\.|^CompleteTaskResult\.|^(Mutation|Subscription|Session|ProgressChange)\./.test(way);

/** Plain arguments, of the rows that there are. */
function plainArguments({ ids, ana }: Scene, name: string): string {
  const known = ids as Record<string, { id: number | string } | undefined>;
  const asker: Asker = { idOf: (kind) => known[kind]?.id, email: () => ana.account.email };
  const places = operations.find((each) => each.name === name)?.places ?? [];
  return [...valuesFor(places, asker, plainly)].map(([place, json]) => `${place}: ${literal(json)}`).join();
}

const operations = graphqlOperations(schema);

/** JSON as GraphQL writes it: names of fields are in no quotes. */
const literal = (json: string) => json.replace(/"(\w+)":/g, '$1:');

/** An operation that asks one field of the root for everything. */
function written(scene: Scene, root: 'Query' | 'Mutation' | 'Subscription', name: string): string {
  const field = (schema.getType(root) as GraphQLObjectType).getFields()[name];
  const isPaged = field?.args.some((argument) => argument.name === 'first');
  const example = examples[`${root}.${name}`]?.(scene);
  const given = example ?? (isPaged ? 'first: 2' : plainArguments(scene, `${root}.${name}`));
  const selection = selectionOf(getNamedType(field?.type) as GraphQLObjectType);
  return `${root.toLowerCase()} { ${name}${given && `(${given})`} ${selection} }`;
}

describe('A row has the same values', () => {
  it('wherever a query comes to it', async () => {
    const scene = await populated(await world());
    const { ana, comparison, ids } = scene;
    await ana.query(`mutation { archiveTask(id: ${ids.task.id}) { task { id } } }`);
    const pausedTask = `query { task(id: ${ids.task.id}) { __typename id title points pauses { __typename id from note task { __typename id title points } } } }`;
    for (const query of [...rootFields('Query').map((name) => written(scene, 'Query', name)), pausedTask]) {
      await comparison.begin();
      await comparison.ofGraphql(await ana.query(query), 'Query', []);
    }
    expect([...comparison.ways].sort()).toEqual(
      allWays.filter((way) => !isOfChange(way) && !isOfLink(way)).sort(),
    );
  });

  it('in the answers to mutations', async () => {
    const scene = await populated(await world());
    const { ana, comparison, ids } = scene;
    const done = Object.keys(examples).filter((name) => name.startsWith('Mutation.'));
    const inOrder = [...done.map((name) => name.slice('Mutation.'.length)), ...LAST];
    const all = rootFields('Mutation');
    const besides = [...inOrder, ...WITHOUT_ROWS, ...WITH_LINKS];
    expect(besides.filter((name) => !all.includes(name))).toEqual([]);
    const names = [...all.filter((name) => !besides.includes(name)), ...inOrder];
    for (const name of names.flatMap((each) => (each === 'completeTask' ? [each, each] : [each]))) {
      await comparison.begin();
      const answer = await ana.query(written(scene, 'Mutation', name));
      await comparison.ofGraphql(answer, 'Mutation', []);
      if (answer.acceptChallenge) ids.active = answer.acceptChallenge.challenge;
    }
    const ofMutations = allWays.filter(
      (way) => /Payload\.|^(Mutation|Session|CompleteTaskResult)\./.test(way) && !isOfLink(way),
    );
    expect([...comparison.ways]).toEqual(expect.arrayContaining(ofMutations));
  });

  it('in what subscribers are sent', async () => {
    const here = await world();
    const scene = await populated(here);
    const { ana, comparison, ids } = scene;
    const stirs: Record<string, () => Promise<unknown>> = {
      events: () => ana.completes(ids.task),
      progressChanged: () => ana.completes(ids.task),
      challengeChanged: () => ana.rest.put(`/api/user-challenges/${ids.active.id}/notes`, { notes: 'Well' }),
    };
    expect(Object.keys(stirs).sort()).toEqual(rootFields('Subscription').sort());
    for (const [name, stir] of Object.entries(stirs)) {
      const stream = await streamOf(
        { base: here.base, token: ana.token },
        written(scene, 'Subscription', name),
      );
      await comparison.begin();
      await stir();
      const { data, errors } = await stream.next();
      expect(errors).toBeUndefined();
      await comparison.ofGraphql(data, 'Subscription', []);
      stream.close();
    }
    const ofEvents = allWays.filter((way) => /^(Subscription|ProgressChange)\./.test(way));
    expect([...comparison.ways]).toEqual(expect.arrayContaining(ofEvents));
  });
});
