import { challengeActive, tooManyChallenges } from '../challenges/challenge.refusals.js';
import type { ExportService } from '../takeout/export.service.js';
import { accountInUse, type ImportCounts, type ImportService } from '../takeout/import.service.js';
import { exportUnderWay, importUnderWay } from './files.js';
import type { AnyRoute, Upload } from './route.js';
import { importCountsSerializer } from './serializers.js';

export const takeoutRoutes = (exports: ExportService, imports: ImportService): AnyRoute[] => [
  {
    method: 'get',
    path: '/export',
    summary: 'Export everything of your account, as docs/export.schema.json describes it',
    access: 'READ',
    status: 200,
    type: 'application/json; charset=utf-8',
    name: (day) => `steady-${day}.json`,
    refuses: [exportUnderWay()],
    read: (userId, work) => exports.document(userId, work),
  },
  {
    method: 'get',
    path: '/completions.csv',
    summary: 'Export your completions as a table',
    access: 'READ',
    status: 200,
    type: 'text/csv; charset=utf-8; header=present',
    name: (day) => `steady-completions-${day}.csv`,
    refuses: [exportUnderWay()],
    read: (userId, work) => exports.completions(userId, work),
  },
  {
    method: 'post',
    path: '/import',
    summary:
      'Import an export of Steady, or what Loop Habit Tracker exports as CSV (a ZIP archive), into your account, which must have no tasks',
    access: 'SESSION',
    status: 201,
    answer: importCountsSerializer,
    refuses: [accountInUse(), challengeActive(), tooManyChallenges(), importUnderWay()],
    requireMayBegin: (userId) => imports.requireMayImport(userId),
    take: (userId, file) => imports.run(userId, file),
  } satisfies Upload<ImportCounts> as Upload,
];
