import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { allBlocksRan, canRunHandbook, handbookOutput, hasPsql } from '../test/handbook.ts';
import { prometheusProgram } from '../test/services/prometheus.ts';

const faults = globSync('docs/faults/*.md').map((page) => basename(page, '.md'));

test('there are pages of faults', () => expect(faults.length).toBeGreaterThan(3));

const hasPrometheus = await prometheusProgram().then(
  () => true,
  (error: unknown) =>
    console.warn(`The pages of docs/faults are not run, because there is no Prometheus: ${String(error)}`),
);

/** Most of the time of a page is waiting: until a rate falls, a lease expires or a retry is due. */
const timeoutMs = 600_000;

test.skipIf(!canRunHandbook)('the tutorial runs and prints what it says', { timeout: timeoutMs }, async () => {
  expect(await handbookOutput(['start'])).toMatch(allBlocksRan);
});

test.skipIf(!canRunHandbook || !hasPsql || !hasPrometheus).concurrent.each(faults)(
  'the commands of %s run and print what it says, and its alerts fire and end',
  { timeout: timeoutMs },
  async (page) => expect(await handbookOutput(['faults', page])).toMatch(allBlocksRan),
);
