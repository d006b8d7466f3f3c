import { LogInInput, SignUpInput, UpdateProfileInput } from '../accounts/account.input.js';
import { AcceptChallengeInput, ChallengeNotesInput } from '../challenges/challenge.input.js';
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
