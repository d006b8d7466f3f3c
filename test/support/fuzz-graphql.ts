import fc from 'fast-check';
import type { GraphQLSchema, OperationTypeNode } from 'graphql';
import { fewOf, mix, pauses, type Scene, type Step } from './fuzz.js';
import { Draft, ENDS_THE_SCENE, MUTATION, QUERY, SUBSCRIPTION, Writer } from './fuzz-documents.js';
import { change, type Frame, frame, type Operation } from './fuzz-graphql-changes.js';
import type { RawRequest } from './fuzz-http.js';
import { finished, type Message } from './fuzz-messages.js';

const TRANSPORTS = ['post', 'get', 'stream', 'socket'] as const;
export type Transport = (typeof TRANSPORTS)[number];

export interface Built {
  transport: Transport;
  /** As JSON, what `POST` would carry. */
  body: string;
  request: RawRequest;
  authorization: string | undefined;
  /** Frames that come before the operation on a WebSocket. */
  frames: Frame[];
  /** Whether there may be nothing to answer before something happens. */
  isSubscription: boolean;
  /** What it is an example of: its transport and its root fields. */
  kinds: string[];
}

/** Everything there must be an example of. */
export const kindsOf = (schema: GraphQLSchema): string[] => [
  ...TRANSPORTS,
  ...[schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap((root) =>
    Object.keys(root?.getFields() ?? {})
      .filter((field) => !ENDS_THE_SCENE.includes(field))
      .map((field) => `${root?.name}.${field}`),
  ),
];

export interface Plan extends Step {
  build: (scene: Scene) => Built;
}

/** A document of the schema: usually one that may be carried out, often enough an odd one. */
export function planOf(schema: GraphQLSchema): fc.Arbitrary<Plan> {
  const writer = new Writer(schema);
  const kinds = mix<OperationTypeNode>(
    [5, fc.constant(QUERY)],
    [5, fc.constant(MUTATION)],
    [1, fc.constant(SUBSCRIPTION)],
  );
  return kinds.chain((kind) =>
    fc
      .record({
        pause: pauses,
        document: writer.operation(kind),
        isNamed: fc.boolean(),
        transport: transportFor[kind],
        changes: fewOf(change, 3, 2),
        frames: mix<Frame[]>([4, fc.constant([])], [1, fc.array(frame, { maxLength: 3 })]),
      })
      .map(({ pause, document, isNamed, transport, changes, frames }) => ({
        pause,
        build: (scene) => {
          const draft = new Draft(scene);
          const operation: Operation = { query: document(draft), variables: draft.values() };
          if (isNamed) operation.operationName = '"Fuzz"';
          const message = messageBy(scene);
          for (const each of changes) {
            if ('ofMessage' in each) each.ofMessage(message, scene);
            else each.ofOperation(operation, scene);
          }
          const { query } = operation;
          return {
            ...sent(transport, operation, message),
            transport,
            frames,
            isSubscription: query.includes('subscription'),
            kinds: [transport, ...draft.fields.filter((field) => query.includes(field.split('.')[1] ?? ''))],
          };
        },
      })),
  );
}

const chosen = (weights: Record<Transport, number>) =>
  mix(...TRANSPORTS.map((each): [number, fc.Arbitrary<Transport>] => [weights[each], fc.constant(each)]));

const transportFor: Record<OperationTypeNode, fc.Arbitrary<Transport>> = {
  [QUERY]: chosen({ post: 6, get: 2, stream: 1, socket: 2 }),
  [MUTATION]: chosen({ post: 9, get: 1, stream: 2, socket: 2 }),
  [SUBSCRIPTION]: chosen({ post: 1, get: 1, stream: 9, socket: 9 }),
};

const messageBy = ({ user }: Scene): Message => ({
  method: 'POST',
  target: '/graphql',
  headers: [
    ['authorization', `Bearer ${user.token}`],
    ['content-type', 'application/json'],
  ],
  pack: (text) => text,
});

function sent(
  transport: Transport,
  { query, variables, allVariables, operationName, extensions }: Operation,
  message: Message,
): Pick<Built, 'body' | 'request' | 'authorization'> {
  const members = [...variables].map(([name, value]) => `${JSON.stringify(name)}:${value}`);
  const parts: [name: string, json: string | undefined][] = [
    ['query', JSON.stringify(query)],
    ['variables', allVariables ?? `{${members.join()}}`],
    ['operationName', operationName],
    ['extensions', extensions],
  ];
  const given = parts.filter(([, json]) => json !== undefined);
  const body = `{${given.map(([name, json]) => `"${name}":${json}`).join()}}`;
  const authorization = message.headers.find(([name]) => name === 'authorization')?.[1];
  if (transport !== 'get') return { body, authorization, request: finished(message, body) };

  const parameters = given.map(([name, json = '']) => {
    const value = name === 'query' ? query : json.replace(/^"(\w*)"$/, '$1');
    return `${name}=${encodeURIComponent(value.toWellFormed())}`;
  });
  const headers = message.headers.filter(([name]) => !/^(content|transfer)-/.test(name));
  const target = `${message.target}?${parameters.join('&')}`;
  const request = finished({ method: 'GET', target, headers, pack: null }, '');
  return { body, authorization, request };
}
