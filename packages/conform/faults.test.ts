import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isDeep } from '../../test/depth.ts';
import { conform } from './conform.ts';
import { abilityFaults } from './fake/ability-faults.ts';
import { catalogFaults } from './fake/catalog-faults.ts';
import { fieldFaults } from './fake/field-faults.ts';
import { type FakeGateway, fakeGateway } from './fake/gateway.ts';
import { errorFaults } from './fake/refusal-faults.ts';
import { responsesFaults } from './fake/responses-faults.ts';
import { runFaults } from './fake/run-faults.ts';
import { streamFaults } from './fake/stream-faults.ts';
import { groups } from './groups.ts';
import { failuresOf } from './scorecard.ts';

const faults = [
  ...catalogFaults,
  ...errorFaults,
  ...streamFaults,
  ...fieldFaults,
  ...abilityFaults,
  ...responsesFaults,
  ...runFaults,
];

const groupOf = (check: string) => check.split('/')[0] ?? '';

/** All faults in the deep suite, otherwise four per group: each fault runs all checks of its group. */
const shown = isDeep
  ? faults
  : Object.values(Object.groupBy(faults, ([check]) => groupOf(check))).flatMap((group) => group?.slice(0, 4) ?? []);

let fake: FakeGateway;
beforeAll(async () => {
  fake = await fakeGateway();
});
afterAll(() => fake.close());

describe('conform detects a gateway with one fault', () => {
  test.each(shown)('%s fails because %s', async (check, _wrong, fault) => {
    fake.setFault(fault);
    const group = groupOf(check);
    const only = group === 'every-answer' ? ['limits', group] : [group];
    const scorecard = await conform({ baseUrl: fake.url, key: fake.key }, { only });
    expect(failuresOf(scorecard).map(({ id }) => id)).toContain(check);
    expect(fake.crashes).toEqual([]);
  });
});

test('every check fails for at least one fault', () => {
  const checks = groups.flatMap((group) => group.checks.map(({ id }) => id));
  expect([...new Set(faults.map(([check]) => check))].sort()).toEqual(checks.sort());
});
