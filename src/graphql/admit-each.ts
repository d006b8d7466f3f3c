import { Refusal } from '../errors.js';
import { admit } from '../validation.js';

/** Inputs of which each is refused by itself. The gate lets a list pass as it is, and so they go through it here. */
export const eachAdmitted = <T extends object>(inputs: readonly T[]): (T | Refusal)[] =>
  inputs.map((input) => {
    try {
      return admit(input, { idsAreText: true });
    } catch (error) {
      if (error instanceof Refusal) return error;
      throw error;
    }
  });
