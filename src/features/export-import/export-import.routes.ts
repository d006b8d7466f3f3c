import { invalid } from '../../base/errors.js';
import { exportUnderWay, importUnderWay } from '../../rest/files.js';
import { type AnyRoute, AT, type Upload } from '../../rest/route.js';
import { challengeActive, tooManyChallenges } from '../challenges/challenge.refusals.js';
import { accountInUse } from '../habits/task.refusals.js';
import type { ExportService } from './export.service.js';
import { importCountsSerializer } from './import.serializer.js';
import type { ImportCounts, ImportService, ImportTarget } from './import.service.js';

/** What `GET /account/export` answers, and `POST /account/import` takes: docs/export.schema.json. */
const exported = {
  format: 'steady-export',
  version: 2,
  exportedAt: AT,
  account: {
    name: 'Ana',
    email: 'ana@example.com',
    profilePicture: null,
    timeZone: null,
    dayStartsAt: 0,
    weekStartsOn: 'MONDAY',
    language: null,
    dayReminder: null,
    createdAt: AT,
  },
  tasks: [
    {
      id: 1,
      challengeTemplateId: null,
      title: 'Swim 1 km',
      description: 'Before breakfast',
      points: 15,
      isDailyRoutine: false,
      createdAt: AT,
      updatedAt: AT,
      archivedAt: null,
      hasGraceDay: false,
      step: null,
      colour: null,
      icon: null,
      challengeTemplateTitle: null,
      schedule: { weekdays: ['MONDAY', 'WEDNESDAY', 'FRIDAY'] },
      target: null,
      tags: ['sport'],
      section: null,
      reminders: [{ at: '07:30', weekdays: ['MONDAY', 'WEDNESDAY', 'FRIDAY'] }],
      checkInLinks: [],
    },
  ],
  challenges: [],
  pauses: [],
  skips: [],
  completions: [{ task: 1, points: 15, completedAt: AT, day: '2026-11-21', recordedAt: AT }],
};

export const exportImportRoutes = (exports: ExportService, imports: ImportService): AnyRoute[] => [
  {
    method: 'get',
    path: '/export',
    summary: 'Export everything of your account, as docs/export.schema.json describes it',
    access: 'READ',
    status: 200,
    type: 'application/json; charset=utf-8',
    name: (day) => `steady-${day}.json`,
    refuses: [exportUnderWay()],
    example: { answer: exported },
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
    example: { body: exported, answer: { tasks: 1, challenges: 0, completions: 1 } },
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
