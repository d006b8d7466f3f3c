import { feature } from '../../feature.js';
import type { Account } from '../account/feature.js';
import type { Challenges } from '../challenges/feature.js';
import { ExportService } from './export.service.js';
import { exportImportRoutes } from './export-import.routes.js';
import { type CarriedParts, exampleOfFile } from './export-schema.js';
import { ImportService } from './import.service.js';
import { exportImportReasons } from './reasons.js';

export const exportImport = feature({
  reasons: exportImportReasons,
  build(
    { database, clock },
    { zones, templates, carried }: Pick<Account, 'zones'> & Challenges & { carried: CarriedParts },
  ) {
    const exports = new ExportService(database, clock, zones, carried);
    const imports = new ImportService(database, clock, zones, templates, carried);
    return { routes: exportImportRoutes(exports, imports, exampleOfFile(carried)) };
  },
});
