import { expect, test } from 'vitest';
import { crashLoop } from './crash-loop.ts';

const seed = Number(process.env.CRASH_SEED ?? Date.now() % 1_000_000);

test(`gateways killed under load leave nothing wrong behind (seed ${seed})`, async () => {
  const said: string[] = [];
  const report = await crashLoop({ seed, cycles: 3, say: (line) => void said.push(line) });
  expect(report.violations, `CRASH_SEED=${seed}\n${said.join('\n')}`).toEqual([]);
  expect(report.cycles).toBe(3);
  expect(report.rows).toBeGreaterThan(50);
}, 120_000);
