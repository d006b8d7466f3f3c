import { declaredApi } from '../../app.js';
import { writeOrCheck } from './generated.js';

await writeOrCheck({
  script: 'openapi',
  file: 'openapi.json',
  what: 'the OpenAPI document of the REST API',
  declared: () => `${JSON.stringify(declaredApi(), null, 2)}\n`,
});
