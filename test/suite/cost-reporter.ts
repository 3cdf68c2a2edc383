import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

const slowestShown = 10;

/** Names the variable with the file that a run writes its `RunReport` to. */
export const reportVariable = 'TEST_REPORT';

export interface RunReport {
  /** Full names of the tests that failed, and of files that could not run. */
  readonly failures: readonly string[];
  readonly slowest: readonly Cost[];
}

interface Cost {
  readonly file: string;
  readonly project: string;
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** Prints the slowest files of a run, and the CPU time of each project. */
export class CostReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const costs = modules.map(costOf);
    const slowest = costs.toSorted((one, other) => other.wallMs - one.wallMs).slice(0, slowestShown);
    const file = process.env[reportVariable];
    if (file !== undefined) {
      const report: RunReport = { failures: modules.flatMap(failuresIn), slowest };
      writeFileSync(file, JSON.stringify(report));
    }
    if (costs.length < 2) return;
    print('Slowest files', [
      ['wall', 'CPU', ''],
      ...slowest.map(({ file, project, wallMs, cpuMs }) => [seconds(wallMs), seconds(cpuMs), `${file} (${project})`]),
    ]);
    const projects = Object.entries(Object.groupBy(costs, ({ project }) => project));
    print('CPU time by project', [
      ...projects.map(([name, files = []]) => [seconds(sum(files)), `${files.length} files`, name]),
      [seconds(sum(costs)), `${costs.length} files`, 'total'],
    ]);
  }
}

function costOf(module: TestModule): Cost {
  const { duration, collectDuration, setupDuration } = module.diagnostic();
  return {
    file: relative(module.project.config.root, module.moduleId),
    project: module.project.name,
    wallMs: duration + collectDuration + setupDuration,
    cpuMs: module.meta().cpuMs ?? 0,
  };
}

function failuresIn(module: TestModule): readonly string[] {
  const nameOf = (test: TestCase): string => `${costOf(module).file}: ${test.fullName}`;
  const tests = [...module.children.allTests('failed')].map(nameOf);
  const errors = module.errors().map(({ message }) => `${costOf(module).file}: ${message}`);
  return [...tests, ...errors];
}

function sum(costs: readonly Cost[]): number {
  return costs.reduce((total, { cpuMs }) => total + cpuMs, 0);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function print(title: string, rows: readonly (readonly string[])[]): void {
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map(
    ([first = '', second = '', last = '']) =>
      `  ${first.padStart(widths[0] ?? 0)}  ${second.padStart(widths[1] ?? 0)}  ${last}\n`,
  );
  process.stdout.write(`\n ${title}\n${lines.join('')}`);
}
