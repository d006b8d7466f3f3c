import { limits, Text } from '../../base/validation.js';
import { Email, KnownEmail, Name, Password } from '../account/rules.js';

/** Secrets have 43 characters: what is much longer is not looked at. */
const SECRET = { max: 200 };

export class RequestPasswordResetInput {
  @KnownEmail()
  email!: string;
}

export class LinkInput {
  @Text(SECRET)
  token!: string;
}

export class CodeInput {
  @Text(SECRET)
  code!: string;
}

export class ResetPasswordInput extends LinkInput {
  @Password()
  newPassword!: string;
}

/** An account as a provider tells of a person. */
export class ProvidedAccountInput {
  @Name({ max: limits.name })
  name!: string;

  @Email()
  email!: string;
}
