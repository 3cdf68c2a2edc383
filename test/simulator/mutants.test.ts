import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { type Mutant, mutants } from './mutants.ts';

const script = fileURLToPath(new URL('../../scripts/simulate.ts', import.meta.url));

/** More seeds than any mutant needs. */
const seedsMax = 300;

// Each mutant runs in its own process, which spends most of its time on starting.
test.concurrent.each(mutants)('without the fix, the simulator finds that $fault', async (mutant) => {
  const { code, output } = await simulateWithout(mutant);
  expect(output).toMatch(/broke a rule/);
  expect(code).toBe(1);
});

function simulateWithout({ name, seed }: Mutant): Promise<{ code: number; output: string }> {
  const options = ['--without', name, '--seed', String(seed), '--seeds', String(seedsMax)];
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...options], (error, output) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, output });
    });
  });
}
