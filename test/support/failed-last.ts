import path from 'node:path';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';
import { has, type Tool } from './tools.js';

/**
 * Ends a run with one line for each failed test, since what went wrong stands far above and logs may be cut there, and
 * with one for the tools without which tests were skipped.
 */
export default class FailedLast implements Reporter {
  onTestRunEnd(files: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    for (const { message } of unhandled) console.error(`FAILED outside of a test: ${firstLine(message)}`);
    for (const file of files) {
      const where = `${file.project.name} ${path.relative('', file.moduleId)}`;
      for (const { message } of file.errors()) console.error(`FAILED ${where}: ${firstLine(message)}`);
      for (const suite of file.children.allSuites()) {
        for (const { message } of suite.errors())
          console.error(`FAILED ${where} > ${suite.fullName}: ${firstLine(message)}`);
      }
      for (const test of file.children.allTests('failed')) {
        const [error] = test.result().errors ?? [];
        console.error(`FAILED ${where} > ${test.fullName}: ${firstLine(error?.message ?? '')}`);
      }
    }
    const lacking = toolsOf(files).filter((tool) => !has(tool));
    if (lacking.length > 0) console.error(`Skipped for want of: ${lacking.join(', ')}`);
  }
}

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

const firstLine = (text: string) => text.slice(0, 300).split('\n')[0];
