import { readFileSync, statSync } from 'node:fs';

export const fileVariable = (name: string) => `${name}_FILE`;

interface Read {
  environment: NodeJS.ProcessEnv;
  problems: string[];
  warnings: string[];
  /** The secrets that were read from files, by name. */
  fromFiles: Record<string, string>;
}

/**
 * Containers and systemd hand over secrets as files: `NAME_FILE` in place of `NAME`. A file in `made` may be missing,
 * since the service makes it.
 */
export function withSecretFiles(given: NodeJS.ProcessEnv, secrets: string[], made: string[]): Read {
  const problems: string[] = [];
  const warnings: string[] = [];
  const fromFiles: Record<string, string> = {};
  for (const name of secrets) {
    const variable = fileVariable(name);
    const file = given[variable];
    if (!file) continue;
    if (given[name]) {
      problems.push(`${name} and ${variable} are both set: take one of them away.`);
      continue;
    }
    const { text, isOpen, problem } = contentsOf(file);
    if (problem === 'ENOENT' && made.includes(name)) continue;
    if (problem) problems.push(`${variable} ${shown(file)} cannot be read (${problem}): ${CURE}.`);
    else if (!text) problems.push(`${variable} ${shown(file)} is empty: write the secret into it.`);
    else fromFiles[name] = text;
    if (isOpen)
      warnings.push(
        `${variable} ${shown(file)} can be read by other accounts: take that from them (chmod 600).`,
      );
  }
  return { environment: { ...given, ...fromFiles }, problems, warnings, fromFiles };
}

const CURE = 'name a file that this account may read';

/** On one line, whatever the variable holds. */
const shown = (file: string) => file.replaceAll(/\p{Cc}/gu, '?');

/** Docker's own place for secrets, which it makes readable for all inside the container. */
const OF_DOCKER = '/run/secrets/';

interface Contents {
  text?: string;
  isOpen?: boolean;
  problem?: string;
}

/** Without the line break with which editors and `echo` end a file. */
export const secretIn = (text: string): string => text.replace(/\r?\n$/, '');

function contentsOf(file: string): Contents {
  try {
    const found = statSync(file);
    if (!found.isFile()) return { problem: 'it is no file' }; // a pipe would keep the start waiting, and could be read once only
    const isOpen = (found.mode & 0o006) !== 0 && process.platform !== 'win32' && !file.startsWith(OF_DOCKER);
    return { text: secretIn(readFileSync(file, 'utf8')), isOpen };
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    return { problem: code };
  }
}

/** With a setting and its file counted as one: whoever has set either has not misspelt the other. */
export const withPairs = (given: NodeJS.ProcessEnv, secrets: string[]): NodeJS.ProcessEnv => ({
  ...given,
  ...Object.fromEntries(
    secrets.flatMap((name) => {
      const value = given[name] || given[fileVariable(name)];
      return [name, fileVariable(name)].map((each) => [each, value]);
    }),
  ),
});
