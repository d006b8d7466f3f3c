import { fileVariable, secretIn } from '../../base/config/secret-files.js';
import { type Config, ConfigError } from '../../base/config.js';
import { newSecret } from '../../base/files/data-directory.js';
import { madeOnce } from '../../base/files/whole-file.js';

/** Made at the first start. A start at the same time may have made it since the configuration was read. */
export function secretMadeIn(file: string): string {
  try {
    return secretIn(madeOnce(file, newSecret));
  } catch (error) {
    const { message } = error as Error;
    throw new ConfigError([
      `JWT_SECRET_FILE ${file} cannot be made: ${message}. Let the service write there, once.`,
    ]);
  }
}

/**
 * The secrets that come from files, as variables for the workers. A file may change or go while the service runs; a
 * worker that is started later would then not know the tokens of the others.
 */
export function secretsForWorkers({ fromFiles, jwtSecretFile }: Config): Record<string, string> {
  const made = jwtSecretFile ? { JWT_SECRET: secretMadeIn(jwtSecretFile) } : {};
  return Object.fromEntries(
    Object.entries({ ...fromFiles, ...made }).flatMap(([name, secret]) => [
      [name, secret],
      [fileVariable(name), ''],
    ]),
  );
}
