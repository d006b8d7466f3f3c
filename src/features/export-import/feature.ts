import { feature } from '../../feature.js';
import type { Challenges } from '../challenges/feature.js';
import { ExportService } from './export.service.js';
import { exportImportRoutes } from './export-import.routes.js';
import { type CarriedParts, exampleOfFile } from './export-schema.js';
import { ImportService } from './import.service.js';
import { exportImportReasons } from './reasons.js';

export const exportImport = feature({
  reasons: exportImportReasons,
  build({ database, clock }, { templates, carried }: Challenges & { carried: CarriedParts }) {
    const exports = new ExportService(database, clock, carried);
    const imports = new ImportService(database, clock, templates, carried);
    return { routes: exportImportRoutes(exports, imports, exampleOfFile(carried)) };
  },
});
