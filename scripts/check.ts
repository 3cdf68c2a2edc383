import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { circleRoots, folderCircles, importCircles } from './import-circles.ts';
import { importViolations, layeredFiles, sourceFiles } from './import-direction.ts';
import { languageFindings } from './plain-language.ts';
import { writeWireTypes } from './wire-types.ts';
import type { Suite } from '../test/suite/projects.ts';

type Check = readonly [name: string, command: string, ...args: string[]];

/** `npm test` runs the fast checks, `npm run test:deep` the deep ones, `npm run check` all. */
const checks: Readonly<Record<Suite, readonly Check[]>> = {
  fast: [
    // One checker each: several checkers check shared types twice, and both cores are busy already.
    ['types', 'tsc', '-p', '.', '--checkers', '1'],
    ['types of the dashboard', 'tsc', '-p', 'packages/dashboard', '--checkers', '1'],
    ['lint', 'oxlint', '--type-aware', '--deny-warnings', '--quiet'],
    ['format', 'biome', 'format', '.'],
  ],
  deep: [['dead code', 'knip']],
};

interface Verdict {
  readonly name: string;
  /** The output of a failed check; empty if the check passed. */
  readonly complaint: string;
}

/** Checks do not depend on each other and run in parallel. One core alone would take twice as long. */
async function run([name, command, ...args]: Check): Promise<Verdict> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const over = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(String(error)));
    child.on('close', (status) => resolve(status === 0 ? '' : `${command} ended with ${status}`));
  });
  const [ending, output, errors] = await Promise.all([over, text(child.stdout), text(child.stderr)]);
  return { name, complaint: ending && `${output}${errors}${ending}` };
}

function report({ name, complaint }: Verdict): void {
  console.log(`${complaint === '' ? '✓' : '✗'} ${name}`);
  if (complaint === '') return;
  process.exitCode = 1;
  console.log(complaint.trimEnd());
}

const [suite] = process.argv.slice(2) as [Suite?];
// Types, lint and dead code all read the file.
writeWireTypes();
const running = (suite ? checks[suite] : [...checks.fast, ...checks.deep]).map(run);
if (suite !== 'deep') checkSources();
for (const verdict of running) report(await verdict);

function checkSources(): void {
  report({ name: 'import direction', complaint: importViolations(layeredFiles()).join('\n') });
  const circles = circleRoots.flatMap((root) => importCircles(sourceFiles(root)));
  const folders = folderCircles(layeredFiles().filter(({ path }) => !path.startsWith('packages/dashboard/')));
  report({ name: 'import circles', complaint: [...circles, ...folders].join('\n') });
  report({ name: 'plain language', complaint: languageFindings().join('\n') });
}
