import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type RunReport, reportVariable } from '../test/suite/cost-reporter.ts';

// Usage: npm run test:repeat -- COUNT [--load] [--deep]
// Runs a suite COUNT times. With --load every second run shares the machine with one busy loop per core.
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { load: { type: 'boolean' }, deep: { type: 'boolean' } },
});
const count = Number(positionals[0]);
if (!Number.isInteger(count) || count < 1)
  throw new Error('Give the number of runs, 1 or more. Example: npm run test:repeat -- 10 --load');

interface Run {
  readonly name: string;
  readonly isGreen: boolean;
  readonly seconds: number;
  readonly report: RunReport | undefined;
}

const folder = mkdtempSync(join(tmpdir(), 'gateway-repeat-'));
const suite = values.deep ? 'deep' : 'fast';
const runs: Run[] = [];
for (let number = 1; number <= count; number += 1) {
  const isLoaded = values.load === true && number % 2 === 0;
  const run = await runSuite(`${suite} run ${number} of ${count}${isLoaded ? ', under load' : ''}`, isLoaded);
  runs.push(run);
  console.log(`\n${line(run)}\n`);
}
rmSync(folder, { recursive: true });
summarise();
process.exitCode = runs.every(({ isGreen }) => isGreen) ? 0 : 1;

async function runSuite(name: string, isLoaded: boolean): Promise<Run> {
  const file = join(folder, `${runs.length}.json`);
  const loops = isLoaded ? Array.from({ length: availableParallelism() }, busyLoop) : [];
  const startedMs = performance.now();
  const child = spawn(process.execPath, ['scripts/test.ts', suite], {
    stdio: 'inherit',
    env: { ...process.env, [reportVariable]: file },
  });
  const [status] = await once(child, 'exit');
  for (const loop of loops) loop.kill();
  return {
    name,
    isGreen: status === 0,
    seconds: Math.round((performance.now() - startedMs) / 1000),
    report: existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as RunReport) : undefined,
  };
}

function busyLoop(): ChildProcess {
  return spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
}

function line({ name, isGreen, seconds, report }: Run): string {
  const failures = (report?.failures ?? ['no test ran']).map((failure) => `\n    ${failure}`);
  return `${isGreen ? '✓' : '✗'} ${name}: ${seconds} s${isGreen ? '' : failures.join('')}`;
}

function summarise(): void {
  console.log('Slowest files, longest run of each');
  const longest = new Map<string, number>();
  for (const { report } of runs) {
    for (const { file, wallMs } of report?.slowest ?? []) {
      longest.set(file, Math.max(longest.get(file) ?? 0, wallMs));
    }
  }
  for (const [file, wallMs] of [...longest].toSorted((one, other) => other[1] - one[1]).slice(0, 10)) {
    console.log(`  ${(wallMs / 1000).toFixed(1).padStart(6)} s  ${file}`);
  }
  console.log('\nRuns');
  for (const run of runs) console.log(line(run));
}
