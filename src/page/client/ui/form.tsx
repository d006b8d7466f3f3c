import './form.css';
import type {
  AllHTMLAttributes,
  ComponentChildren,
  InputHTMLAttributes,
  TargetedEvent,
  TargetedSubmitEvent,
  TextareaHTMLAttributes,
} from 'preact';
import { useRef, useState } from 'preact/hooks';
import { endSession } from '../shell/screen.js';
import { hasTokenEnded, NoAnswer, Refused, sentenceOf } from '../sync/api.js';
import { t } from './language.js';

interface FormProps {
  action: (data: FormData) => Promise<unknown>;
  submit: string;
  /** Whether it destroys something. */
  isDanger?: boolean;
  /** Beside the button that submits. */
  others?: ComponentChildren;
  children?: ComponentChildren;
}

/** Says what is wrong at its field, or above the button, and stays as it is until it succeeds. */
export function Form({ action, submit, isDanger = false, others, children }: FormProps) {
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);
  const isUnderWay = useRef(false); // at once, where a button is pressed twice before the next drawing

  const run = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    setBusy(true);
    setProblem('');
    forget(form);
    try {
      await action(new FormData(form, event.submitter));
    } catch (error) {
      if (hasTokenEnded(error)) endSession(error.token);
      const sentence = sentenceOf(error);
      const isSaid = error instanceof Refused && sayAt(form, error.fields, sentence);
      if (!isSaid) setProblem(sentence);
      if (!(error instanceof Refused || error instanceof NoAnswer)) console.error(error);
    }
    isUnderWay.current = false;
    setBusy(false);
  };

  return (
    <form onSubmit={run} onInput={trustAgain} onInvalidCapture={unfold}>
      {children}
      <div class="buttons">
        <p role="alert" class="problem">
          {problem}
        </p>
        <button type="submit" class={isDanger ? 'primary danger' : 'primary'} aria-disabled={isBusy}>
          {submit}
        </button>
        {others}
      </div>
    </form>
  );
}

/** What is wrong must be seen. */
function unfold({ target }: Event): void {
  const details = (target as Element).closest('details');
  if (details) details.open = true;
}

/** At the first that is at fault, if it is a field: the names of inputs are those of the service. */
function sayAt(form: HTMLFormElement, names: readonly string[], sentence: string): boolean {
  const input = names
    .map((name) => form.elements.namedItem(name))
    .find((each): each is HTMLInputElement => each instanceof HTMLElement);
  if (!input?.closest('.field')) return false;
  const said = document.createElement('small');
  said.className = 'problem';
  said.role = 'alert';
  said.textContent = sentence;
  input.after(said);
  input.setCustomValidity(sentence);
  input.checkValidity(); // unfolds it
  input.focus();
  return true;
}

/** Until something is changed: only the service knows whether it is right then. */
const trustAgain = ({ currentTarget }: TargetedEvent<HTMLFormElement>) => forget(currentTarget);

function forget(form: HTMLFormElement): void {
  for (const each of form.elements) (each as HTMLInputElement).setCustomValidity('');
  for (const each of form.querySelectorAll('.field .problem')) each.remove();
}

interface FieldProps extends Omit<AllHTMLAttributes, 'id' | 'label' | 'name' | 'value'> {
  /** Of the form and of the field, which is the service's name of the input: `sign-up.email`. */
  id: string;
  label: string;
  hint?: string;
  value?: string | number;
}

/** A value is given at the beginning only: what a person enters is theirs. */
export function Field({ id, label, hint, value = '', ...rest }: FieldProps) {
  const [isShown, show] = useState(false);
  const name = id.split('.')[1] ?? '';
  const given = {
    id,
    name,
    defaultValue: String(value),
    'aria-describedby': hint && `${id}-hint`,
    ...rest,
    ...(isShown && { type: 'text' }),
  };
  return (
    <p class="field">
      <label for={id}>{label}</label>
      {rest.rows ? (
        <textarea {...(given as TextareaHTMLAttributes)} />
      ) : (
        <input {...(given as InputHTMLAttributes)} />
      )}
      {rest.type === 'password' && (
        <button type="button" class="link" aria-pressed={isShown} onClick={() => show(!isShown)}>
          {t.signIn.show}
        </button>
      )}
      {hint && (
        <small id={`${id}-hint`} class="about">
          {hint}
        </small>
      )}
    </p>
  );
}

interface AmountProps extends FieldProps {
  mayBeNone?: boolean;
}

/**
 * With a point or a comma: a field of numbers swallows the one that is not of the browser's own language. Three digits
 * may follow the one of the page's language alone: after the other they would be thousands.
 */
export function Amount({ value = '', mayBeNone = false, ...rest }: AmountProps) {
  const own = t.number(0.5)[1] ?? '.';
  const other = own === ',' ? '.' : ',';
  return (
    <Field
      inputMode="decimal"
      pattern={`${mayBeNone ? '' : '(?=.*[1-9])'}(\\d{0,9}([${own}]\\d{1,3}|[${other}]\\d{1,2})?|10{9})`}
      value={String(value).replace('.', own)}
      {...rest}
    />
  );
}

export const amountOf = (data: FormData, name = 'amount'): number =>
  Number(textOf(data, name).replace(',', '.'));

interface SelectProps {
  id: string;
  label: string;
  hint?: string;
  value: string | number;
  /** What is shown of each value; a list where values are numbers, of which an object makes an order of its own. */
  options: Record<string, string> | [string, string][];
  onChange?: (value: string) => void;
}

export const Select = ({ id, label, hint, value, options, onChange }: SelectProps) => (
  <p class="field">
    <label for={id}>{label}</label>
    <select
      id={id}
      name={id.split('.')[1]}
      aria-describedby={hint && `${id}-hint`}
      onChange={({ currentTarget }) => onChange?.(currentTarget.value)}
    >
      {(Array.isArray(options) ? options : Object.entries(options)).map(([each, text]) => (
        <option key={each} value={each} selected={each === String(value)}>
          {text}
        </option>
      ))}
    </select>
    {hint && (
      <small id={`${id}-hint`} class="about">
        {hint}
      </small>
    )}
  </p>
);

export const NewPassword = ({ id, label }: { id: string; label: string }) => (
  <Field
    id={id}
    label={label}
    type="password"
    autocomplete="new-password"
    hint={t.signIn.passwordHint}
    required
    minlength={6}
  />
);

interface CheckboxProps {
  name: string;
  /** Where several have the same name. */
  value?: string;
  label: string;
  checked?: boolean;
  onChange?: (isChecked: boolean) => void;
}

export const Checkbox = ({ name, value, label, checked = false, onChange }: CheckboxProps) => (
  <label class="checkbox">
    <input
      type="checkbox"
      name={name}
      value={value}
      defaultChecked={checked}
      onChange={({ currentTarget }) => onChange?.(currentTarget.checked)}
    />
    <span>{label}</span>
  </label>
);

export const textOf = (data: FormData, name: string): string => String(data.get(name) ?? '');

/** Whoever changes how to come in proves who they are. Those without a password leave it empty. */
export const CurrentPassword = ({ of }: { of: string }) => (
  <Field
    id={`${of}.currentPassword`}
    label={t.account.currentPassword}
    type="password"
    autocomplete="current-password"
    hint={t.account.ifAny}
  />
);

export const currentPasswordIn = (data: FormData) => textOf(data, 'currentPassword') || null;
