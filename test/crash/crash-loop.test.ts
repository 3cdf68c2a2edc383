import { expect, test } from 'vitest';
import { newDatabase } from '../stores/stores.ts';
import { type CrashLoopOptions, crashLoop, rowsPerCycle } from './crash-loop.ts';

const seed = Number(process.env.CRASH_SEED ?? Date.now() % 1_000_000);

test(`gateways killed under load violate no invariant (seed ${seed})`, async () => {
  await expectNoViolations({ cycles: 2 });
});

test(`gateways on a shared PostgreSQL killed under load violate no invariant (seed ${seed})`, async () => {
  await expectNoViolations({ cycles: 2, database: await newDatabase() });
});

async function expectNoViolations(options: Omit<CrashLoopOptions, 'seed'>): Promise<void> {
  const lines: string[] = [];
  const report = await crashLoop({ seed, ...options, log: (line) => void lines.push(line) });
  expect(report.violations, `CRASH_SEED=${seed}\n${lines.join('\n')}`).toEqual([]);
  expect(report.cycles).toBe(options.cycles);
  expect(report.rows).toBeGreaterThanOrEqual(options.cycles * rowsPerCycle);
}
