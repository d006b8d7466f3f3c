import { invalid } from '../../base/errors.js';
import { exportUnderWay, importUnderWay } from '../../rest/files.js';
import type { AnyRoute, Upload } from '../../rest/route.js';
import { challengeActive, tooManyChallenges } from '../challenges/challenge.refusals.js';
import { accountInUse } from '../habits/task.refusals.js';
import type { ExportService } from './export.service.js';
import { importCountsSerializer } from './import.serializer.js';
import type { ImportCounts, ImportService, ImportTarget } from './import.service.js';

export const exportImportRoutes = (
  exports: ExportService,
  imports: ImportService,
  /** What the one answers, and the other takes. */
  example: object,
): AnyRoute[] => [
  {
    method: 'get',
    path: '/export',
    summary: 'Export everything of your account, as docs/export.schema.json describes it',
    access: 'READ',
    status: 200,
    type: 'application/json; charset=utf-8',
    name: (day) => `steady-${day}.json`,
    refuses: [exportUnderWay()],
    example: { answer: example },
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
    example: { answer: undefined },
    read: (userId, work) => exports.completions(userId, work),
  },
  {
    method: 'post',
    path: '/import',
    summary:
      'Import an export of Steady, or what Loop Habit Tracker exports as CSV (a ZIP archive), into your account, which must have no tasks unless `into` says so',
    access: 'SESSION',
    status: 201,
    answer: importCountsSerializer,
    refuses: [accountInUse(), challengeActive(), tooManyChallenges(), importUnderWay()],
    example: { body: example, answer: { tasks: 1, challenges: 0, completions: 1 } },
    query: {
      into: {
        description:
          '`existing`: into an account that has tasks. A task of the same title and kind is kept as it is, and gets the completions of the file; what is there already is passed over, and the settings of the account stay.',
        schema: { type: 'string', enum: ['existing'] },
      },
    },
    requireMayBegin: (userId, query) => imports.requireMayImport(userId, targetIn(query)),
    take: (userId, file, query) => imports.run(userId, file, targetIn(query)),
  } satisfies Upload<ImportCounts> as Upload,
];

/** Whether the account may have tasks. */
function targetIn(query: URLSearchParams): ImportTarget {
  const into = query.get('into');
  if (into === null) return 'empty';
  if (into !== 'existing') throw invalid('Into must be existing, or left out', 'into');
  return into;
}
