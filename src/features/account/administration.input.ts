import { limits } from '../../base/validation.js';
import { Email, KnownEmail, Name } from './rules.js';

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
