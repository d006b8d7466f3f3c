import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Begins with the files that take minutes, or the last of them would run alone while a core is idle. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rankOf = ({ moduleId, project }: TestSpecification) =>
      moduleId.includes('/test/long/') ? 0 : project.name === 'standalone' ? 1 : 2;
    return sorted.sort((one, other) => rankOf(one) - rankOf(other)); // stable: the larger file of two goes first
  }
}
