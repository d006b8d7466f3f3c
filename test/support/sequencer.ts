import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Small files that take long: without the results of an earlier run, Vitest takes large files for the long ones. */
const LONG =
  /\/(refusals|shares|task-deletion|revoked-elsewhere|operator-commands|operators|[a-z-]+\.browser)\./;

const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId);

/** Lets long files begin first, so that none of them is alone at the end. */
export default class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // A worker is kept for the files of one project.
    const byProject = [...Map.groupBy(sorted, ({ project }) => project).values()];
    return byProject.flatMap((own) => [...own.filter(isLong), ...own.filter((file) => !isLong(file))]);
  }
}
