import { expect, test } from 'vitest';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { refusal } from '../upstreams/answer/refusal.ts';
import { recordedAttempt } from './recorded-attempt.ts';

const secret = 'my secret plan';
const redact = String;

test.each([
  [refusal({ upstream: 'acme', redact }, 429, secret), { status: 429, reason: 'answered 429' }],
  [
    refusal({ upstream: 'acme', redact }, 400, JSON.stringify({ error: { code: 'bad_thing', message: secret } })),
    { status: 400, reason: 'answered 400 (bad_thing)' },
  ],
  [failed(`upstream acme: The provider answered with an error: ${secret}`), 'The provider answered with an error'],
  [failed(`Unexpected token 'm', "${secret}" is not valid JSON`), 'Unexpected token'],
  [failed('upstream acme: connect ECONNREFUSED 127.0.0.1:9'), 'connect ECONNREFUSED 127.0.0.1'],
  [new GatewayError('upstream-failed'), undefined],
  [new Error(secret), undefined],
])('the record of %s contains only the gateway’s own words', (error, expected) => {
  const kept = recordedAttempt({ ...attempt, error }, 100);
  if (expected instanceof Object) expect(kept).toMatchObject(expected);
  else expect(kept.reason).toBe(expected);
  expect(kept.errorCase).toEqual(expect.any(String));
  expect(JSON.stringify(kept)).not.toContain(secret);
});

test('a successful attempt has no failure reason', () => {
  const kept = recordedAttempt({ ...attempt, firstEventMs: 2.6, status: 200 }, 100);
  expect(kept).toMatchObject({ upstream: 'acme', beganMs: 1, firstEventMs: 4, endedMs: 5, status: 200 });
  expect(kept.errorCase).toBeUndefined();
});

const attempt = {
  route: { upstream: 'acme', model: 'large', priority: 0, weight: 1 },
  upstream: 'acme',
  model: 'large',
  credential: 0,
  position: 0,
  waitMs: 0,
  pauseMs: 0,
  beganMs: 101,
  endedMs: 105,
  status: undefined,
  firstEventMs: undefined,
  error: undefined,
};

function failed(message: string): GatewayError {
  return new GatewayError('upstream-failed', { cause: new Error(message) });
}
