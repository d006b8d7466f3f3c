import fc from 'fast-check';
import { fewOf, MARK, mix, pauses, type Scene, type Step } from './fuzz.js';
import type { RawRequest } from './fuzz-http.js';
import { anyOf, type Change, changing, finished, type Message, messageChange } from './fuzz-messages.js';
import type { Operation } from './fuzz-rest-answers.js';
import { kindOf, oddInPlace, oddJson, oddText, sensibleValue, type Value } from './fuzz-values.js';

export interface Plan extends Step {
  operation: Operation;
  build: (scene: Scene) => Built;
}

export interface Built {
  request: RawRequest;
  /** Whether it goes to another place than its endpoint. */
  isMisdirected: boolean;
}

interface Draft extends Message {
  /** Of the body, each as JSON. */
  members: [key: string, value: string][];
  isMisdirected: boolean;
}

/** A request to one of the endpoints: usually one that may be carried out, often enough an odd one. */
export const planOf = (operations: Operation[]): fc.Arbitrary<Plan> =>
  fc.constantFrom(...operations).chain((operation) =>
    fc
      .record({ pause: pauses, draft: draftOf(operation), changes: fewOf(change, 1, 1) })
      .map(({ pause, draft, changes }) => ({
        operation,
        pause,
        build: (scene) => {
          const made = draft(scene);
          for (const each of changes) each(made, scene);
          const members = made.members.map(([key, value]) => `${JSON.stringify(key)}:${value}`);
          return { request: finished(made, `{${members.join()}}`), isMisdirected: made.isMisdirected };
        },
      })),
  );

interface Field {
  name: string;
  required: boolean;
  value: fc.Arbitrary<Value>;
}

/** Each with a value of its own; those that are not required may be missing. */
const valuesOf = (fields: Field[]) =>
  fc.tuple(...fields.map(({ required, value }) => (required ? value : fc.option(value)))).map(
    (values) => (scene: Scene) =>
      fields.flatMap(({ name }, at): [string, string][] => {
        const value = values[at];
        return value ? [[name, value(scene)]] : [];
      }),
  );

function draftOf({ method, path, parameters, body }: Operation): fc.Arbitrary<(scene: Scene) => Draft> {
  const parametersIn = (place: string): Field[] =>
    parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, required, schema }) => ({
        name,
        required,
        value: sensibleValue(schema, name === 'id' ? resourceBefore(path, '{id}') : name),
      }));
  const members = Object.entries(body?.properties ?? {}).map(([name, schema]) => ({
    name,
    required: body?.required.includes(name) ?? false,
    value: sensibleValue(schema, name),
  }));
  return fc
    .record({
      inPath: valuesOf(parametersIn('path')),
      inHeaders: valuesOf(parametersIn('header')),
      inBody: valuesOf(members),
    })
    .map(({ inPath, inHeaders, inBody }) => (scene) => ({
      method,
      target: inPath(scene).reduce((made, [name, value]) => made.replace(`{${name}}`, value), path),
      headers: [
        ['authorization', `Bearer ${scene.user.token}`],
        ...(body ? [['content-type', 'application/json'] satisfies [string, string]] : []),
        ...inHeaders(scene).map(([name, value]): [string, string] => [name, JSON.parse(value)]),
      ],
      members: inBody(scene),
      pack: body ? (text) => text : null,
      isMisdirected: false,
    }));
}

/** `/user-challenges/{id}/notes` → `user-challenge` */
const resourceBefore = (path: string, id: string) => path.split(`s/${id}`)[0]?.split('/').at(-1) ?? '';

/** Keys that are not fields, or not of this API. */
const strangeMembers: [key: string, value: string][] = [
  ['__proto__', `{"title":"${MARK}","points":99,"email":"${MARK}@x","task_id":1,"templateId":1}`],
  ['constructor', '{"prototype":{"trapped":true}}'],
  ['prototype', '1'],
  ['toString', '1'],
  ['valueOf', 'null'],
  ['hasOwnProperty', '1'],
  ['then', '1'],
  ['', '1'],
  ['id', '1'],
  ['user_id', `"${MARK}"`],
  ['isDailyRoutine', 'true'],
  ['taskId', '1'],
  ['passwordHash', `"${MARK}"`],
  ['current_streak', '99'],
  ['status', '"COMPLETED"'],
  ['created_at', '"2000-01-01T00:00:00.000Z"'],
  ['😀\ud800', '1'],
];

const someMember = fc.nat(20);

const memberChange = mix<Change<Draft>>(
  [
    10,
    changing(fc.tuple(someMember, oddInPlace), ({ members }, [number, oddFor]) => {
      const member = anyOf(members, number);
      if (member) member[1] = oddFor(member[1]);
    }),
  ],
  [2, changing(someMember, ({ members }, number) => void members.splice(number % (members.length + 1), 1))],
  [
    2,
    changing(fc.subarray(strangeMembers, { minLength: 1 }), ({ members }, strange) => {
      members.unshift(...strange);
    }),
  ],
  [
    1,
    changing(fc.tuple(someMember, oddJson), ({ members }, [number, value]) => {
      const member = anyOf(members, number);
      if (member) members.push([member[0], value]);
    }),
  ],
  [
    2,
    changing(someMember, ({ members }, number, { canary }) => {
      const member = anyOf(members, number);
      const id = canary?.idOf(kindOf(member?.[0] ?? ''), number);
      if (member && id !== undefined) member[1] = String(id);
    }),
  ],
);

type Spelling = (target: string) => string;

const spellings: Spelling[] = [
  (target) => `${target}/`,
  (target) => `${target}?`,
  (target) => `${target}?${MARK}[__proto__][x]=1&a=%&b=%00`,
  (target) => `${target}?${'a=1&'.repeat(2_000)}`,
  (target) => `${target}#${MARK}`,
  (target) => `http://${MARK}${target}`,
];

const otherTargets: Spelling[] = [
  (target) => target.replace(/s/g, '%73'),
  (target) => `/${target}`,
  (target) => target.toUpperCase(),
  (target) => target.replaceAll('/', '//'),
  (target) => target.replaceAll('/', '%2f'),
  (target) => target.replaceAll('/', '\\'),
  (target) => `/${MARK}/..${target}`,
  (target) => `${target}/../${MARK}`,
  (target) => `${target}/%2e%2e/%2e%2e/${MARK}`,
  (target) => `${target}/${MARK}`,
  (target) => `${target}%`,
  (target) => `${target}%00${MARK}`,
  (target) => `${target}%ff`,
  (target) => `${target};${MARK}=1`,
  (target) => `${target}/é😀`,
  (target) => `${target}/ ${MARK}`,
  (target) => `${target}/${MARK.repeat(3_000)}`,
  (target) => target.slice(1),
  (target) => target.replace(/^\/api/, '/API'),
  () => '*',
  () => '/',
  () => '',
  () => `//${MARK}`,
  () => '/api',
  () => '/api/__proto__',
  () => '/%',
  () => '/health/live/%2e',
];

const methods = [
  ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'M-SEARCH'],
  ...['get', MARK, '', 'GET /', 'PRI', 'CONNECT', 'GET\0', '😀'],
];

const oddIds = [
  ...['0', '-1', '01', '+1', '1.0', '1e0', '0x1', '1n', '%31', '1%20', '%00', '%', '%ff', 'null', 'NaN'],
  ...['9007199254740992', '9'.repeat(400), '%F0%9F%98%80', '1;2', '1,2', '..', '%2e%2e', "'--", '[]', '{}'],
  ...[MARK, MARK.repeat(2_000), 'active', 'me', 'accept', 'constructor'],
];

const id = fc.oneof(
  fc.constantFrom(...oddIds),
  oddText.map((each) => encodeURIComponent(each.toWellFormed())),
);

const targetChange = mix<Change<Draft>>(
  [
    2,
    changing(fc.constantFrom(...spellings), (draft, spell) => {
      draft.target = spell(draft.target);
    }),
  ],
  [
    2,
    changing(fc.constantFrom(...otherTargets), (draft, spell) => {
      draft.target = spell(draft.target);
      draft.isMisdirected = true;
    }),
  ],
  [
    2,
    changing(fc.constantFrom(...methods), (draft, method) => {
      draft.isMisdirected ||= method !== draft.method;
      draft.method = method;
    }),
  ],
  [
    3,
    changing(id, (draft, odd) => {
      draft.isMisdirected ||= odd === '';
      draft.target = draft.target.replace(/\/\d+/, `/${odd}`);
    }),
  ],
  [
    2,
    changing(fc.nat(20), (draft, number, { canary }) => {
      const own = /\/(\d+)/.exec(draft.target)?.[1] ?? '-';
      const other = canary?.idOf(kindOf(resourceBefore(draft.target, own)), number);
      if (other !== undefined) draft.target = draft.target.replace(`/${own}`, `/${other}`);
    }),
  ],
);

const change = mix<Change<Draft>>([8, memberChange], [4, messageChange], [3, targetChange]);
