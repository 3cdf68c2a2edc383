import { afterAll, beforeAll, expect, test } from 'vitest';
import { conform } from '../../packages/conform/conform.ts';
import { type SimulatedGateway, startSimulatedGateway } from '../gateways/simulated-gateway.ts';

let gateway: SimulatedGateway;
beforeAll(async () => {
  gateway = await startSimulatedGateway();
});
afterAll(() => gateway.stop());

test('the gateway passes every check of the contract', async () => {
  const scorecard = await conform(
    { baseUrl: gateway.url, key: gateway.key, messagesPrefix: '/anthropic' },
    { concurrency: 16 },
  );
  const checks = scorecard.groups.flatMap((group) => group.checks);
  expect(checks.filter(({ outcome }) => outcome.kind === 'fail')).toEqual([]);
  expect(checks.filter(({ outcome }) => outcome.kind === 'pass').length).toBeGreaterThan(50);
});
