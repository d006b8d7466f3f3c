import { declaredApi } from '../app.js';
import { printedHelp } from './arguments.js';
import { writeOrCheck } from './generated.js';

const FILE = 'openapi.json';

const HELP = `npm run openapi -- [--check]

Writes the OpenAPI document of the REST API that the code declares to ${FILE}.

--check  only compares; exit code 1 when the file is not what the code declares`;

const declared = () => `${JSON.stringify(declaredApi(), null, 2)}\n`;

if (!printedHelp(HELP)) writeOrCheck(FILE, 'npm run openapi', declared);
