import { logIn, signUp, zoneOfDevice } from './account.js';
import { Checkbox, Field, Form, textOf } from './form.js';
import { Logo } from './logo.js';
import { leave } from './screen.js';
import { canSignUp, type State, set } from './store.js';
import { counted } from './words.js';

/** For whoever is not logged in, or not any more. */
export function AccountForm({ state }: { state: State }) {
  const { session, taps } = state;
  const isNew = state.isNew && !session;
  const question = session ? `Not ${session.email}?` : isNew ? 'You have an account?' : 'You are new here?';
  const answer = session ? 'Use another account' : isNew ? 'Log in instead' : 'Make an account';
  const act = () => (session ? void leave() : set({ isNew: !isNew, form: null }));
  return (
    <section class={session ? 'card' : 'card welcome'}>
      {!session && <Logo />}
      <h1>{session ? 'Please log in again' : isNew ? 'A little, every day' : 'Welcome back'}</h1>
      <p class="about">{session ? whyAgain(taps.length) : 'Keep habits and streaks, take on a challenge.'}</p>
      {isNew ? <SignUp /> : <LogIn email={session?.email ?? ''} />}
      {!session && !canSignUp && <p class="about">Accounts are made by whoever runs this service.</p>}
      {(session || canSignUp) && (
        <p class="about">
          {question}{' '}
          <button type="button" class="link" onClick={act}>
            {answer}
          </button>
        </p>
      )}
    </section>
  );
}

const whyAgain = (waiting: number) =>
  `Your log-in has ended.${waiting > 0 ? ` ${counted(waiting, 'tap')} waiting on this device.` : ''}`;

function SignUp() {
  const zone = zoneOfDevice();
  const act = (data: FormData) => {
    const [name, email, password] = [textOf(data, 'name'), textOf(data, 'email'), textOf(data, 'password')];
    return signUp({ name, email, password }, data.has('zone') ? zone : null);
  };
  return (
    <Form key="sign-up" name="sign-up" action={act} submit="Sign up">
      <Field id="sign-up.name" label="Name" autocomplete="name" required maxlength={200} />
      <Field id="sign-up.email" label="E-mail" type="email" autocomplete="username" required />
      <Field
        id="sign-up.password"
        label="Password"
        type="password"
        autocomplete="new-password"
        hint="At least 6 characters."
        required
        minlength={6}
      />
      <Checkbox name="zone" label={`My days are those of ${zone}, as on this device`} checked />
    </Form>
  );
}

const LogIn = ({ email }: { email: string }) => (
  <Form
    key="log-in"
    name="log-in"
    action={(data) => logIn(textOf(data, 'email'), textOf(data, 'password'))}
    submit="Log in"
  >
    <Field id="log-in.email" label="E-mail" type="email" value={email} autocomplete="username" required />
    <Field id="log-in.password" label="Password" type="password" autocomplete="current-password" required />
  </Form>
);
