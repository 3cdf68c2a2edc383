import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectAtRest } from '../at-rest.ts';
import { countsTokens, twiceEstimated } from '../counted-tokens.ts';
import { type ConfigChange, startTestGateway, type TestGateway } from '../gateways/gateway.ts';
import { slowClock } from '../clocks/slow-clock.ts';

let gateway: TestGateway;
beforeAll(async () => {
  const config: ConfigChange = (base) => ({
    ...base,
    accounts: [
      { name: 'tester', package: 'standard', credit: '100.00' },
      { name: 'hog', package: 'standard' },
    ],
  });
  // A count that takes longer than a few seconds is estimated instead. This clock makes that limit ten times as long.
  gateway = await startTestGateway(config, { clock: slowClock(10) });
  await countsTokens(gateway);
});
afterAll(() => gateway.stop());

async function countTokens(key: string, content: string): Promise<number> {
  const body = { model: 'plain', messages: [{ role: 'user', content }] };
  const reply = await gateway.post('/anthropic/v1/messages/count_tokens', body, { 'x-api-key': key });
  expect(reply.status).toBe(200);
  return (reply.json as { input_tokens: number }).input_tokens;
}

test('a prompt of one letter 150,000 times is counted, not estimated', async () => {
  const tokens = await countTokens(gateway.key, 'a'.repeat(150_000));
  expect(tokens / (150_000 / 8)).toBeCloseTo(1, 1);
});

test('an account that counts worst-case prompts does not delay the count of another account', async () => {
  const hog = await gateway.newKey({ account: 'hog' });
  const worst = Array.from({ length: 40 }, (_, at) =>
    countTokens(hog, `${' '.repeat(60_000)}${'ab'[at % 2]}`.repeat(2)),
  );
  expect(await countTokens(gateway.key, twiceEstimated.content)).toBe(twiceEstimated.tokens);
  await Promise.all(worst);
  await expectAtRest(gateway.gateway);
});
