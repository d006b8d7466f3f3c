import path from 'node:path';
import type { Reporter, SerializedError, TestCase, TestModule, TestSuite } from 'vitest/node';
import { has, type Tool } from './tools.js';

/**
 * Prints each failure when it happens, and once more at the end, where logs that are cut off still have it: one line
 * each, also for what passed only when it was tried again. The last line names the tools without which tests were skipped.
 */
export default class Failures implements Reporter {
  private readonly lines: string[] = [];

  onTestCaseResult(test: TestCase): void {
    const { state, errors = [] } = test.result();
    const where = `${placeOf(test.module)} > ${test.fullName}`;
    if (state === 'failed') this.tell('FAILED', where, errors);
    if (test.diagnostic()?.flaky) this.tell('PASSED ONLY WHEN TRIED AGAIN', where, errors);
  }

  onTestSuiteResult(suite: TestSuite): void {
    this.tell('FAILED', `${placeOf(suite.module)} > ${suite.fullName}`, suite.errors());
  }

  onTestModuleEnd(file: TestModule): void {
    this.tell('FAILED', placeOf(file), file.errors());
  }

  onTestRunEnd(files: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    this.tell('FAILED', 'outside of a test', unhandled);
    for (const line of this.lines) console.error(line);
    const lacking = toolsOf(files).filter((tool) => !has(tool));
    if (lacking.length > 0) console.error(`Skipped for want of: ${lacking.join(', ')}`);
  }

  private tell(what: string, where: string, errors: readonly SerializedError[]): void {
    for (const { message } of errors) {
      const line = `${what} ${where}: ${message.slice(0, 300).split('\n')[0]}`;
      this.lines.push(line);
      console.error(line);
    }
  }
}

const placeOf = ({ project, moduleId }: TestModule) => `${project.name} ${path.relative('', moduleId)}`;

function toolsOf(files: readonly TestModule[]): Tool[] {
  const needed = new Set<Tool>();
  for (const { children } of files) {
    for (const each of [...children.allSuites(), ...children.allTests()]) {
      const tool = each.meta().needs;
      if (tool) needed.add(tool);
    }
  }
  return [...needed].sort();
}
