import { LogInInput, SignUpInput, UpdateProfileInput } from '../accounts/account.input.js';
import { AcceptChallengeInput, ChallengeNotesInput } from '../challenges/challenge.input.js';
import { CheckInInput } from '../check-in/check-in-link.input.js';
import { CompleteTaskInput } from '../completions/completion.input.js';
import { CreateTaskInput, UpdateTaskInput } from '../tasks/task.input.js';

/** Values that succeed, and some that do not, each in place of the good ones. */
const example = <Input extends object>(
  type: new () => Input,
  values: Partial<Input>,
  ...wrong: { [Key in keyof Input]?: unknown }[]
) => [type, { values, wrong }] as [new () => object, { values: object; wrong: object[] }];

const account = { email: 'ana@example.com', password: 'one step a day' };

/**
 * The id of a row of the first user. For everybody else the page of the API document fills in the id of a row that an
 * answer has shown.
 */
export const FIRST_ID = 1;

/**
 * The requests that the page of the API document offers to send. They succeed for a new user as they are, one after
 * the other, and change neither e-mail nor password.
 */
const examples = new Map([
  example(SignUpInput, { name: 'Ana', ...account }, { password: 'step' }),
  example(LogInInput, account, { password: null }),
  example(
    UpdateProfileInput,
    { name: 'Ana Lima', profilePicture: 'https://example.com/ana.png' },
    { profilePicture: 'ana.png' },
  ),
  example(
    CreateTaskInput,
    { title: 'Swim 1 km', points: 15, description: 'Before breakfast', isDailyRoutine: true },
    { points: 0 },
    { title: '' },
  ),
  example(UpdateTaskInput, { title: 'Swim 2 km', points: 30 }, { points: 0 }, { title: '' }),
  example(CheckInInput, { key: 'morning' }, { amount: 0 }, { key: 'été' }),
  example(CompleteTaskInput, { taskId: FIRST_ID }, { taskId: 'swim' }, { idempotencyKey: 'été' }),
  example(AcceptChallengeInput, { templateId: FIRST_ID }, { templateId: 'first' }),
  example(ChallengeNotesInput, { notes: 'Well begun' }, { notes: null }),
]);

/** With the property names of the services. */
export const exampleOf = (type: new () => object): object | undefined => examples.get(type)?.values;

/** Each has one value that is refused. */
export function wrongExamplesOf(type: new () => object): object[] {
  const { values, wrong } = examples.get(type) ?? { wrong: [] };
  return wrong.map((one) => ({ ...values, ...one }));
}

/** Whoever sends the offered requests in a new service, one after the other at this instant, gets these answers. */
const AT = '2026-11-21T08:30:00.000Z';

const OWNER = 'c1aed9eb-a1d7-40fa-8dce-00db9a85a5a7';

const person = {
  id: OWNER,
  name: 'Ana',
  email: 'ana@example.com',
  points: 0,
  current_streak: 0,
  max_streak: 0,
};

const signedIn = {
  token:
    'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJjMWFlZDllYi1hMWQ3LTQwZmEtOGRjZS0wMGRiOWE4NWE1YTcifQ.c2lnbmF0dXJl',
  user: person,
};

const profile = { ...person, profile_picture: null, created_at: AT, updated_at: AT };

const task = {
  id: 1,
  user_id: OWNER,
  challenge_template_id: null,
  title: 'Swim 1 km',
  description: 'Before breakfast',
  points: 15,
  is_daily_routine: true,
  created_at: AT,
  updated_at: AT,
};

const shownTemplate = {
  id: 1,
  title: 'A Good Week',
  description: 'Do what you planned on seven days in a row. A week is short enough to keep every day of it.',
  duration_days: 7,
};

const template = {
  ...shownTemplate,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
};

const newestTemplate = {
  id: 7,
  title: 'Sixty Strong',
  description: 'Sixty days in a row. For habits that are meant to stay.',
  duration_days: 60,
  created_at: '2026-01-01T00:00:06.000Z',
  updated_at: '2026-01-01T00:00:06.000Z',
};

const challenge = {
  id: 1,
  user_id: OWNER,
  template_id: 1,
  status: 'ACTIVE',
  start_date: AT,
  completed_at: null,
  notes: null,
  created_at: AT,
  updated_at: AT,
};

const listedChallenge = { ...challenge, template: shownTemplate };

const notedChallenge = { ...challenge, notes: 'Well begun' };

/** What `GET /account/export` answers, and `POST /account/import` takes: docs/export.schema.json. */
const exported = {
  format: 'steady-export',
  version: 2,
  exportedAt: AT,
  account: {
    name: 'Ana',
    email: 'ana@example.com',
    profilePicture: null,
    timeZone: null,
    dayStartsAt: 0,
    weekStartsOn: 'MONDAY',
    language: null,
    dayReminder: null,
    createdAt: AT,
  },
  tasks: [
    {
      id: 1,
      challengeTemplateId: null,
      title: 'Swim 1 km',
      description: 'Before breakfast',
      points: 15,
      isDailyRoutine: false,
      createdAt: AT,
      updatedAt: AT,
      archivedAt: null,
      colour: null,
      icon: null,
      challengeTemplateTitle: null,
      schedule: { weekdays: ['MONDAY', 'WEDNESDAY', 'FRIDAY'] },
      target: null,
      tags: ['sport'],
      section: null,
      reminders: [{ at: '07:30', weekdays: ['MONDAY', 'WEDNESDAY', 'FRIDAY'] }],
      checkInLinks: [],
    },
  ],
  challenges: [],
  pauses: [],
  skips: [],
  completions: [{ task: 1, points: 15, completedAt: AT, day: '2026-11-21', recordedAt: AT }],
};

/** By method and path: the bodies that are files. */
export const fileExamples: Record<string, unknown> = { 'post /import': exported };

const standing = {
  task: 'Swim 1 km',
  day: '2026-11-21',
  done: true,
  amount: 0,
  target: null,
  unit: null,
  streak: 1,
  counted: true,
};

/** By method and path; of a list its first entries. A test sends the requests and compares. */
export const answerExamples: Record<string, unknown> = {
  'post /auth/signup': signedIn,
  'post /auth/login': signedIn,
  'get /user/profile': profile,
  'put /user/profile': { ...profile, name: 'Ana Lima', profile_picture: 'https://example.com/ana.png' },
  'post /tasks': task,
  'get /tasks/me': [{ task, completion_count: 0 }],
  'put /tasks/:taskId': { ...task, title: 'Swim 2 km', points: 30 },
  'post /task-completions': { id: 1, task_id: 1, user_id: OWNER, completed_at: AT },
  'get /challenge-templates': [newestTemplate],
  'get /challenge-templates/:id': template,
  'post /user-challenges/accept': challenge,
  'get /user-challenges': [listedChallenge],
  'get /user-challenges/active': listedChallenge,
  'get /:token': { ...standing, counted: false },
  'post /:token': standing,
  'post /:token/undo': { ...standing, done: false, streak: 0, counted: false },
  'get /export': exported,
  'post /import': { tasks: 1, challenges: 0, completions: 1 },
  'put /user-challenges/:id/notes': notedChallenge,
  'put /user-challenges/:id/complete': { ...notedChallenge, status: 'COMPLETED', completed_at: AT },
  'put /user-challenges/:id/abandon': { ...notedChallenge, status: 'ABANDONED' },
};
