import { expect, test } from 'vitest';
import { startPostgres } from '../services/postgres.ts';
import { newDatabase } from '../stores/stores.ts';
import { type BatchLoopOptions, batchLoop } from './batch-loop.ts';
import { type CrashLoopOptions, crashLoop, rowsPerCycle } from './crash-loop.ts';

const seed = Number(process.env.CRASH_SEED ?? Date.now() % 1_000_000);

test(`gateways killed under load violate no invariant (seed ${seed})`, async () => {
  await expectNoViolations({ cycles: 2 });
});

test(`gateways on a shared PostgreSQL killed under load violate no invariant (seed ${seed})`, async () => {
  await expectNoViolations({ cycles: 2, database: await newDatabase() });
});

test(`gateways killed during a batch lose and repeat no line (seed ${seed})`, async () => {
  await expectNoLostLine({});
});

test(`gateways and a PostgreSQL killed during a batch lose and repeat no line (seed ${seed})`, async () => {
  const postgres = await startPostgres();
  await expectNoLostLine({ database: await postgres.createDatabase(), crashDatabase: () => postgres.crash() });
  await postgres.stop();
});

async function expectNoLostLine(options: Pick<BatchLoopOptions, 'database' | 'crashDatabase'>): Promise<void> {
  const { violations, succeeded, interrupted } = await batchLoop({ ...options, seed, kills: 4, lines: 200 });
  expect(violations, `CRASH_SEED=${seed}`).toEqual([]);
  expect(succeeded + interrupted).toBe(200);
}

async function expectNoViolations(options: Omit<CrashLoopOptions, 'seed'>): Promise<void> {
  const lines: string[] = [];
  const report = await crashLoop({ seed, ...options, log: (line) => void lines.push(line) });
  expect(report.violations, `CRASH_SEED=${seed}\n${lines.join('\n')}`).toEqual([]);
  expect(report.cycles).toBe(options.cycles);
  expect(report.rows).toBeGreaterThanOrEqual(options.cycles * rowsPerCycle);
}
