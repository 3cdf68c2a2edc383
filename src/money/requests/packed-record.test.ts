import { expect, test } from 'vitest';
import { type PackedRecord, packRecord, unpackRecord } from './packed-record.ts';
import type { RequestRecord } from './request-record.ts';

/** All fields differ, so that a swap of two fields is noticed. */
const full = {
  id: 'r1',
  startedAt: 1,
  accountId: 'a1',
  keyId: 'k1',
  userId: 'u1',
  site: 's1',
  surface: '/v1/chat/completions',
  requestedModel: 'm1',
  model: 'm2',
  upstream: 'p1',
  upstreamModel: 'm3',
  status: 502,
  errorCase: 'upstream-failed',
  errorDetail: 'it broke',
  finish: 'stop',
  promptTokens: 2,
  completionTokens: 3,
  cachedTokens: 4,
  cacheWrite5mTokens: 5,
  cacheWrite1hTokens: 6,
  reasoningTokens: 7,
  toolUses: { web_search: 8 },
  usageSource: 'counted',
  attemptCount: 9,
  attempts: [{ upstream: 'p1', model: 'm3', waitMs: 10, beganMs: 11, endedMs: 12 }],
  queuePosition: 13,
  waitMs: 14,
  firstByteMs: 15,
  durationMs: 16,
  clientGone: true,
  requestedWhole: false,
  unwantedStream: true,
  notes: ['odd'],
  cost: 17n,
  priceVersion: 'v1',
  providerCost: 0n,
  cacheSavings: 2n ** 70n,
  replayOf: 'r0',
  calls: { seen: 18, parsed: 19, repaired: 20, failed: 21 },
  constraints: [{ model: 'm2', constraint: 'json', outcome: 'met' }],
  answeredMs: 22,
  failedModels: ['m0'],
  tags: ['team:search', 'beta'],
} as const satisfies RequestRecord;

test('a record survives packing, with all fields and with only the required ones', () => {
  const bare: RequestRecord = { ...full, ...unsaid };
  expect([full, bare].map((record) => sent(record))).toEqual([full, bare]);
});

/** The optional fields of a record. */
const unsaid = Object.fromEntries(
  Object.entries(full).flatMap(([name, value]) => (isAlwaysSaid(name, value) ? [] : [[name, undefined]])),
) as unknown as Partial<RequestRecord>;

function isAlwaysSaid(name: string, value: unknown): boolean {
  const always = ['id', 'startedAt', 'accountId', 'keyId', 'site', 'surface', 'requestedModel', 'status'];
  return (
    (Array.isArray(value) && name !== 'constraints' && name !== 'failedModels') ||
    [...always, 'attemptCount', 'attempts', 'durationMs', 'clientGone'].includes(name)
  );
}

function sent(record: RequestRecord): RequestRecord {
  return unpackRecord(JSON.parse(JSON.stringify(packRecord(record))) as PackedRecord);
}
