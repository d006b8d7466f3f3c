import type { Config, ConfigError } from '../config.js';
import { type Finding, ok, warning, wrong } from './finding.js';

const ABOUT = 'configuration';

export const configurationFindings = ({ warnings, production }: Config): Finding[] => [
  ok(ABOUT, `every setting is allowed${production ? ', for production too' : ''}`),
  ...warnings.map((line) => warning(ABOUT, line, 'See docs/configuration.md.')),
];

export const faultFindings = ({ problems }: ConfigError): Finding[] =>
  problems.map((problem) =>
    wrong(ABOUT, problem, 'Correct the variable: docs/configuration.md has them all.'),
  );
