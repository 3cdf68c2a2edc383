import { expect, test } from 'vitest';
import { chatRequest } from '../../../test/call-upstream.ts';
import { modelOf } from '../../../test/fakes/scripted-upstreams.ts';
import type { Caller } from '../../core/caller.ts';
import { unreportedUsage, type Usage } from 'chat-formats/chat/usage.ts';
import { FairQueue } from '../routing/fair-queue/fair-queue.ts';
import type { Ticket } from '../routing/fair-queue/queued-account.ts';
import { usedCost } from '../routing/queue/request-cost.ts';
import { demandOf, learnUsage } from './demand.ts';
import { type ExpectedUsage, expectedUsage } from './tokens/expected-usage.ts';
import { maxUsage } from './money/max-usage.ts';

const model = modelOf([], { contextWindow: 100_000, maxOutputTokens: 1000 });
const request = chatRequest();
const { bytes } = request.wire;
const estimate = { model, request, maxUsage: maxUsage(model, request) };
const callerOf = (accountId: string): Caller =>
  ({ key: { accountId, keyId: 'k', packageName: 'p' }, site: 'main' }) as unknown as Caller;
const reported = (promptTokens: number, completionTokens: number): Usage => ({
  ...unreportedUsage,
  promptTokens,
  completionTokens,
  source: 'upstream',
});

const learn = (expected: ExpectedUsage, usage: Usage, accountId: string) =>
  learnUsage(expected, usage, { ...estimate, accountId });

/** Counts the answers of two accounts that share 8 slots. Each has `clients` clients; all answers take equally long. */
function answers(weights: readonly [number, number], clients: number, usage: Usage): readonly number[] {
  const slots = 8;
  const queue = new FairQueue(() => 0);
  const expected = expectedUsage();
  const running: Ticket[] = [];
  const got = [0, 0];
  const enter = (account: number): void => {
    const options = { weight: weights[account]!, expected };
    queue.enter(demandOf(callerOf(String(account)), estimate, options));
  };
  for (let count = 0; count < clients; count += 1) for (const account of [0, 1]) enter(account);
  for (let round = 0; round < 8000; round += 1) {
    for (let next = queue.next(slots); next; next = running.length < slots ? queue.next(slots) : undefined) {
      running.push(next);
    }
    const ended = running.shift()!;
    const account = Number(ended.demand.accountId);
    queue.leave(ended, usedCost(usage));
    learn(expected, usage, ended.demand.accountId);
    got[account]! += 1;
    enter(account);
  }
  return got;
}

test.each([20, 200, 600, 50_000])(
  'accounts get slots by weight if the provider reports %i prompt tokens',
  (promptTokens) => {
    for (const clients of [7, 8, 30]) {
      const [one, three] = answers([1, 3], clients, reported(promptTokens, 5));
      expect(three! / one!, `${clients} clients`).toBeCloseTo(3, 1);
    }
  },
);

test('the estimate of a request approaches the real usage of its account', () => {
  const expected = expectedUsage();
  const cost = () => demandOf(callerOf('a'), estimate, { weight: 1, expected }).cost;
  const usage = reported(400, 30);
  expect(cost()).toBeGreaterThan(usedCost(usage));
  for (let count = 0; count < 5; count += 1) learn(expected, usage, 'a');
  expect(cost()).toBeCloseTo(usedCost(usage));
});

test('an absurd report is learned as at most what the request could have used', () => {
  const expected = expectedUsage();
  const demand = () => demandOf(callerOf('a'), estimate, { weight: 1, expected });
  learn(expected, reported(9e15, 9e15), 'a');
  expect(demand().costMax).toBe(bytes + 512 + 4 * 1000);
  expect(demand().cost).toBe(demand().costMax);
});
