import { feature } from '../../feature.js';
import type { Challenges } from '../challenges/feature.js';
import { ExportService } from './export.service.js';
import { ImportService } from './import.service.js';
import { takeoutReasons } from './reasons.js';
import { takeoutRoutes } from './takeout.routes.js';
import type { CarriedParts } from './validate-import.js';

export const takeout = feature({
  reasons: takeoutReasons,
  build({ database, clock }, { templates, carried }: Challenges & { carried: CarriedParts }) {
    const exports = new ExportService(database, clock, carried);
    const imports = new ImportService(database, clock, templates, carried);
    return { routes: takeoutRoutes(exports, imports) };
  },
});
