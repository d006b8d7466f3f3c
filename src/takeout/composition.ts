import type { Router } from 'express';
import type { AccountService } from '../accounts/account.service.js';
import type { Callers } from '../accounts/callers.js';
import type { TemplateService } from '../challenges/template.service.js';
import type { Clock } from '../clock.js';
import type { Config } from '../config.js';
import type { Database } from '../database/database.js';
import type { AnswerError } from '../rest/errors.js';
import { ExportService } from './export.service.js';
import { ImportService } from './import.service.js';
import { takeoutRoutes } from './router.js';

interface Foundation {
  config: Config;
  database: Database;
  clock: Clock;
}

interface Services {
  callers: Callers;
  accounts: AccountService;
  templates: TemplateService;
}

export function takeoutOn(
  { config, database, clock }: Foundation,
  { callers, accounts, templates }: Services,
  fail: AnswerError,
): Router {
  const exports = new ExportService(database, clock);
  const imports = new ImportService(database, clock, accounts, templates);
  const { importLimit } = config;
  const { databaseTime } = config.timeouts;
  return takeoutRoutes({ callers, accounts, exports, imports, importLimit, clock, databaseTime, fail });
}
