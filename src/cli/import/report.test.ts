import { expect, test } from 'vitest';
import { finding } from 'chat-gateway-import/findings.ts';
import type { Finding } from 'chat-gateway-import/findings.ts';
import { type ImportRound, laterRound, roundText } from './report.ts';

const none = { organisation: new Map(), account: new Map(), user: new Map(), key: new Map() };
const sum = { source: 0n, leftOut: 0n, booked: 0n };

function round(findings: readonly Finding[]): ImportRound {
  const outcomes = { ...none, package: new Map(), upstream: new Map(), model: new Map() };
  const plan = {
    organisations: [],
    accounts: [],
    users: [],
    keys: [],
    packages: [],
    upstreams: [],
    models: [],
    findings,
  };
  return { source: 'x', plan, result: { outcomes, sums: { balances: sum, spend: sum }, findings, keys: new Map() } };
}

const blocked = (key: string) => finding('key_blocked', { kind: 'key', sourceId: key }, { name: key });
const rounded = (amount: string) =>
  finding('amount_rounded', { kind: 'key', sourceId: 'a' }, { field: 'spend', amount, rounded: amount });

test('a later round prints the findings that the round before did not have, and nothing without them', () => {
  const first = round([blocked('a'), rounded('0.1')]);
  const second = laterRound(round([rounded('0.2'), blocked('a'), blocked('b')]), first);
  expect(second.result.findings).toEqual([blocked('b')]);
  expect(roundText(second, 0)).toContain('The key b is blocked in the source.');
  expect(roundText(laterRound(first, first), 0)).toBeUndefined();
});
