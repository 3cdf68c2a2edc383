import { afterAll, beforeAll, expect, test } from 'vitest';
import { conform } from './conform.ts';
import { type FakeGateway, fakeGateway } from './fake/gateway.ts';
import { failuresOf, totalsOf } from './scorecard.ts';

let fake: FakeGateway;
beforeAll(async () => {
  fake = await fakeGateway();
});
afterAll(() => fake.close());

test('a gateway that keeps the contract passes every check', async () => {
  fake.be({});
  const scorecard = await conform({ baseUrl: fake.url, key: fake.key });
  expect(failuresOf(scorecard)).toEqual([]);
  expect(totalsOf(scorecard.groups).skip).toBe(0);
  expect(scorecard.model).toBe('fake-chat-2026-01-02');
});
