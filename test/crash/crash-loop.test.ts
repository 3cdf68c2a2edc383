import { expect, test } from 'vitest';
import { newDatabase } from '../stores.ts';
import { type CrashLoopOptions, crashLoop, rowsPerCycle } from './crash-loop.ts';

const seed = Number(process.env.CRASH_SEED ?? Date.now() % 1_000_000);

test(`gateways killed under load leave nothing wrong behind (seed ${seed})`, async () => {
  await expectNothingWrong({ cycles: 2 });
});

test(`nor do gateways on a shared PostgreSQL (seed ${seed})`, async () => {
  await expectNothingWrong({ cycles: 2, database: await newDatabase() });
});

async function expectNothingWrong(options: Omit<CrashLoopOptions, 'seed'>): Promise<void> {
  const said: string[] = [];
  const report = await crashLoop({ seed, ...options, say: (line) => void said.push(line) });
  expect(report.violations, `CRASH_SEED=${seed}\n${said.join('\n')}`).toEqual([]);
  expect(report.cycles).toBe(options.cycles);
  expect(report.rows).toBeGreaterThanOrEqual(options.cycles * rowsPerCycle);
}
