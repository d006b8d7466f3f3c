import { Email, KnownEmail, limits, Name } from '../validation.js';

/** An account that the operator makes. */
export class NewAccountInput {
  @Email()
  email!: string;

  @Name({ max: limits.name })
  name!: string;
}

/** An account that the operator means. */
export class AccountNameInput {
  @KnownEmail()
  email!: string;
}
