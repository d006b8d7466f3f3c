import { LogInInput, SignUpInput, UpdateProfileInput } from '../accounts/account.input.js';
import { AcceptChallengeInput, ChallengeNotesInput } from '../challenges/challenge.input.js';
import { CompleteTaskInput, CreateTaskInput, UpdateTaskInput } from '../tasks/task.input.js';

const example = <Input extends object>(type: new () => Input, values: Partial<Input>) =>
  [type, values] as [new () => object, object];

const account = { email: 'ana@example.com', password: 'one step a day' };

/** The id of no task: 1 would be another user's task for all but the first user. */
const TO_BE_FILLED_IN = Number.MAX_SAFE_INTEGER;

/**
 * The requests that the page of the API document offers to send. They succeed for a new user as they are: they refer
 * to nothing that must exist first, and change neither e-mail nor password.
 */
const examples = new Map([
  example(SignUpInput, { name: 'Ana', ...account }),
  example(LogInInput, account),
  example(UpdateProfileInput, { name: 'Ana Lima', profilePicture: 'https://example.com/ana.png' }),
  example(CreateTaskInput, {
    title: 'Swim 1 km',
    points: 15,
    description: 'Before breakfast',
    isDailyRoutine: true,
  }),
  example(UpdateTaskInput, { title: 'Swim 2 km', points: 30 }),
  example(CompleteTaskInput, { taskId: TO_BE_FILLED_IN }),
  example(AcceptChallengeInput, { templateId: 1 }),
  example(ChallengeNotesInput, { notes: 'Well begun' }),
]);

/** With the property names of the services. */
export const exampleOf = (type: new () => object): object | undefined => examples.get(type);
