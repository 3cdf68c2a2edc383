import { spawnSync } from 'node:child_process';
import { circleRoots, importCircles } from './import-circles.ts';
import { importViolations, sourceFiles } from './import-direction.ts';

const commands: readonly (readonly [name: string, command: string, ...args: string[]])[] = [
  ['types', 'tsc', '-p', '.'],
  ['types of the dashboard', 'tsc', '-p', 'dashboard'],
  ['lint', 'oxlint', '--type-aware', '--deny-warnings', '--quiet'],
  ['format', 'biome', 'format', '.'],
  ['dead code', 'knip'],
];

let hasFailed = false;

function report(name: string, output: string, isFine: boolean): void {
  console.log(`${isFine ? '✓' : '✗'} ${name}`);
  if (isFine) return;
  hasFailed = true;
  console.log(output.trimEnd());
}

const violations = importViolations(sourceFiles('src'));
report('import direction', violations.join('\n'), violations.length === 0);
const circles = circleRoots.flatMap((root) => importCircles(sourceFiles(root)));
report('import circles', circles.join('\n'), circles.length === 0);
for (const [name, command, ...args] of commands) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  report(name, error ? String(error) : stdout + stderr, status === 0);
}
process.exitCode = hasFailed ? 1 : 0;
