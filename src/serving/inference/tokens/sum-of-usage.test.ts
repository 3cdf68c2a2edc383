import { expect, test } from 'vitest';
import { unreportedUsage, type Usage } from 'chat-formats/chat/usage.ts';
import { sumOfUsage } from './sum-of-usage.ts';

const reported: Usage = {
  promptTokens: 1,
  completionTokens: 2,
  cachedTokens: 3,
  cacheWrite5mTokens: 4,
  cacheWrite1hTokens: 5,
  reasoningTokens: 6,
  promptAudioTokens: 7,
  promptImageTokens: 8,
  completionAudioTokens: 9,
  toolUses: { web_search: 1, fetch: 2 },
  source: 'upstream',
};
const sums: Usage = { ...unreportedUsage, promptTokens: 100, completionTokens: 20, source: 'upstream' };

test('each figure is added to its counterpart', () => {
  const twice = { ...reported, toolUses: { web_search: 10, run: 1 } };
  expect(sumOfUsage([reported, twice])).toEqual({
    promptTokens: 2,
    completionTokens: 4,
    cachedTokens: 6,
    cacheWrite5mTokens: 8,
    cacheWrite1hTokens: 10,
    reasoningTokens: 12,
    promptAudioTokens: 14,
    promptImageTokens: 16,
    completionAudioTokens: 18,
    toolUses: { web_search: 11, fetch: 2, run: 1 },
    source: 'upstream',
  });
});

test('a figure of one answer is kept, and a figure of none stays undefined', () => {
  const added = { ...reported, promptTokens: 101, completionTokens: 22 };
  expect([sumOfUsage([sums, reported]), sumOfUsage([reported, sums])]).toEqual([added, added]);
  expect(sumOfUsage([sums, sums, sums])).toEqual({ ...sums, promptTokens: 300, completionTokens: 60 });
  expect(sumOfUsage([reported])).toBe(reported);
});

test('a sum that includes a counted answer is counted', () => {
  const counted = { ...sums, source: 'counted' as const };
  const sources = [sumOfUsage([sums, counted]), sumOfUsage([counted, sums]), sumOfUsage([sums, sums])];
  expect(sources.map(({ source }) => source)).toEqual(['counted', 'counted', 'upstream']);
});

test('a sum that includes an estimated answer is estimated', () => {
  const [counted, estimated] = [
    { ...sums, source: 'counted' as const },
    { ...sums, source: 'estimated' as const },
  ];
  const sources = [sumOfUsage([sums, estimated]), sumOfUsage([estimated, counted]), sumOfUsage([counted, estimated])];
  expect(sources.map(({ source }) => source)).toEqual(['estimated', 'estimated', 'estimated']);
});
