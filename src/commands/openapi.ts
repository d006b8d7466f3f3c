import { declaredApi } from '../app.js';
import { generating, writeOrCheck } from './generated.js';

const FILE = 'openapi.json';

const declared = () => `${JSON.stringify(declaredApi(), null, 2)}\n`;

await writeOrCheck(generating('openapi', FILE, 'the OpenAPI document of the REST API'), FILE, declared);
